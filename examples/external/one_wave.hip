// Attention as one would write it first: a wave for each query row and head, softmax as it goes, no matrix instruction.
// K and V are bf16 rows [keys, KV heads, 128], requests behind one another; the output is fp32 [heads, queries, 128].
#define global __attribute__((global))

struct Request {
  int query_begin, query_length, key_length, key_begin;
};

constexpr int head_dim = 128, lanes = 64;

__attribute__((device)) static float lane_value(float value, int lane) {
  return __builtin_bit_cast(float, __builtin_amdgcn_readlane(__builtin_bit_cast(int, value), lane));
}

// The grid is [queries of the longest request, heads, requests]. `scale` has log2(e) in it.
extern "C" global __attribute__((amdgpu_flat_work_group_size(lanes, lanes))) void
one_wave(const __bf16* q, const __bf16* k, const __bf16* v, const Request* requests, float* output,
         float* lse, int total_queries, int heads, int kv_heads, int causal, float scale) {
  const int query = __builtin_amdgcn_workgroup_id_x(), head = __builtin_amdgcn_workgroup_id_y();
  const int lane = __builtin_amdgcn_workitem_id_x(), kv_head = head / (heads / kv_heads);
  const Request request = requests[__builtin_amdgcn_workgroup_id_z()];
  if (query >= request.query_length) return;
  const __bf16* row = q + ((long)(request.query_begin + query) * heads + head) * head_dim;
  const int last = causal ? request.key_length - request.query_length + query : request.key_length - 1;
  float maximum = -__builtin_inff(), sum = 0, first = 0, second = 0; // columns 2 lane and 2 lane + 1
  for (int begin = 0; begin <= last; begin += lanes) {
    float score = -__builtin_inff(); // of key begin + lane
    if (begin + lane <= last) {
      const __bf16* key = k + ((long)(request.key_begin + begin + lane) * kv_heads + kv_head) * head_dim;
      score = 0;
      for (int column = 0; column < head_dim; ++column) score += (float)row[column] * (float)key[column];
      score *= scale;
    }
    float highest = maximum;
    for (int i = 0; i < lanes; ++i) highest = __builtin_fmaxf(highest, lane_value(score, i));
    const float rescale = __builtin_amdgcn_exp2f(maximum - highest);
    const float weight = (float)(__bf16)__builtin_amdgcn_exp2f(score - highest);
    maximum = highest;
    sum *= rescale;
    first *= rescale;
    second *= rescale;
    for (int i = 0; i < lanes && begin + i <= last; ++i) {
      const float p = lane_value(weight, i);
      const __bf16* value =
          v + ((long)(request.key_begin + begin + i) * kv_heads + kv_head) * head_dim + 2 * lane;
      sum += p;
      first += p * (float)value[0];
      second += p * (float)value[1];
    }
  }
  const long place = (long)head * total_queries + request.query_begin + query;
  output[place * head_dim + 2 * lane] = sum > 0 ? first / sum : 0;
  output[place * head_dim + 2 * lane + 1] = sum > 0 ? second / sum : 0;
  if (lane == 0) lse[place] = sum > 0 ? maximum + __builtin_amdgcn_logf(sum) : -__builtin_inff(); // base 2
}
