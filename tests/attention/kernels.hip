// A kernel whose workgroups leave a mark each.
struct Marks { // as in launched_plan_test.cpp
  unsigned* marks;
  unsigned width; // of the grid
  unsigned value;
};

extern "C" __attribute__((global)) void leave_mark(Marks arguments) {
  const unsigned workgroup =
      __builtin_amdgcn_workgroup_id_y() * arguments.width + __builtin_amdgcn_workgroup_id_x();
  if (__builtin_amdgcn_workitem_id_x() == 0) arguments.marks[workgroup] += arguments.value;
}
