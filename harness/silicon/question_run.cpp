#include "harness/silicon/question_run.hpp"

#include "calibration/micro.hpp"
#include "harness/perf/event_sampler.hpp"

#include <algorithm>
#include <memory>

namespace fmha950::harness {
namespace {

// A step's cost is the difference of two loops, without what both have. The shorter one of a chase comes to every line of its
// table: what follows finds all of them where the table has room.
struct Lengths {
  uint32_t few, many;
};
constexpr Lengths of_units{20, 220}, of_code{1, 4};

struct Chase {
  uint32_t words, stride; // of the table
  Lengths lengths;
};
// A step of a wave comes to 256 bytes, an iteration has 8 steps.
constexpr uint32_t words_of_iteration = 64 * calibration::global_chase_steps;
constexpr Chase chase_of(uint32_t words) {
  const uint32_t all = words / words_of_iteration;
  return {
      words,
      65599,
      {all + 1, 2 * all + 1}}; // a prime: no line twice in a row, as data/calibration/latencies.csv has it
}

std::vector<uint32_t> table_of(const Chase& chase) {
  return calibration::chase_table(chase.words, chase.stride);
}

Chase chase_through(ChaseThrough through) {
  constexpr uint32_t kib = 256; // words
  switch (through) {
  case ChaseThrough::nothing: return {0, 0, of_units};
  case ChaseThrough::code: return {0, 0, of_code};
  case ChaseThrough::lds: return {calibration::micro_lds_bytes / 4, 65, of_units};
  case ChaseThrough::l1: return chase_of(8 * kib);
  case ChaseThrough::l2: return chase_of(512 * kib);
  case ChaseThrough::
      pages: { // seven pages and 63 words: all 40 come in turn; L2 has every line after some rounds
    constexpr uint32_t words = 40 * 64 * kib, round = words / words_of_iteration;
    return {words, 7 * 64 * kib + 63, {6 * round, 7 * round}};
  }
  case ChaseThrough::mall: return chase_of(32 * 1024 * kib);
  case ChaseThrough::hbm: return {32 * 1024 * kib, 65599, {20, 420}}; // far from coming to a line again
  }
  return {};
}

} // namespace

MeasuredQuestion ask(const Question& question) {
  const calibration::MicroKernel& kernel = calibration::micro_kernel(question.kernel);
  MeasuredQuestion measured{
      .name = std::string(question.name), .steps = kernel.steps * kernel.sharing, .runs = {}};
  const bool embedded = hip::runtime().embedded;
  if (embedded && !is_visible_on_model(question)) return measured;
  const Chase chase = chase_through(question.through);
  const bool has_content = kernel.table == calibration::MicroTable::lds_content;
  const calibration::Micro micro(question.kernel,
                                 has_content ? calibration::chase_table(calibration::micro_lds_bytes / 4, 1)
                                 : chase.words == 0 ? std::vector<uint32_t>()
                                                    : table_of(chase));
  std::unique_ptr<CacheFlush> flush;
  if (question.through == ChaseThrough::hbm) flush = std::make_unique<CacheFlush>();
  // The model's clocks are always the same.
  const int repetitions = embedded ? 1 : 9;
  if (!embedded) micro.launch(chase.lengths.few, nullptr); // code comes to the GPU
  for (int i = 0; i < repetitions; ++i)
    for (const uint32_t iterations : {chase.lengths.few, chase.lengths.many}) {
      if (flush) flush->overwrite();
      micro.launch(iterations, nullptr);
      measured.runs.push_back(run_of(iterations, micro.stamps()));
    }
  return measured;
}

} // namespace fmha950::harness
