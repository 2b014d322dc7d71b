#include "harness/silicon/question.hpp"

#include "calibration/micro.hpp"
#include "emulator/rates/latencies.hpp"
#include "harness/perf/event_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace fmha950::harness {

namespace {

using timing::barrier_clocks, timing::hbm_latency, timing::l1_latency, timing::l2_latency,
    timing::lds_latency, timing::mall_latency, timing::translation_latency;

constexpr Answer lds_read[] = {{4, "256 bytes a clock", ""}, {8, "128 bytes a clock", "lds128"}};
constexpr Answer transcendental[] = {{8, "8 clocks", ""}, {16, "16 clocks", "exp16"}};
constexpr Answer mfma_slot[] = {{16, "an MFMA leaves the VALU alone", ""},
                                {20, "an MFMA takes its SIMD's VALU for 4 clocks", nullptr},
                                {24, "an MFMA takes its SIMD's VALU for 8 clocks", "mfma_slot"}};
constexpr Answer packed_beside[] = {
    {32, "it runs beside the matrix unit", ""},
    {36, "it waits for the matrix unit, and holds it for 4 clocks", "packed_alone"},
    {40, "it waits for the matrix unit, and holds it for 8 clocks", nullptr}};
constexpr Answer conversion[] = {{4, "4 clocks", ""}, {8, "8 clocks", "cvt8"}, {16, "16 clocks", "cvt16"}};
constexpr Answer direct_conversion[] = {
    {4, "4 clocks", ""}, {8, "8 clocks", "cvt_u8_8"}, {16, "16 clocks", "cvt_u8_16"}};
constexpr Answer packed[] = {{4, "4 clocks", ""}, {8, "8 clocks", nullptr}};
// Two waves of a SIMD, 16 MFMAs of 32 clocks each.
constexpr Answer fetch[] = {{1024, "fetch runs ahead", ""},
                            {2360, "lines come when they are needed", "demand_fetch"}};
constexpr Answer barrier[] = {{barrier_clocks, "8 clocks", ""},
                              {16, "16 clocks", nullptr},
                              {24, "24 clocks", nullptr},
                              {40, "40 clocks", "barrier40"}};
// Beside 16 clocks of writes.
constexpr Answer dma_write[] = {
    {20, "256 bytes a clock", nullptr}, {24, "128 bytes a clock", ""}, {32, "64 bytes a clock", "dma64"}};
constexpr Answer fma_chain[] = {{4, "4 clocks", nullptr}, {8, "8 clocks", ""}};
constexpr Answer passes_4[] = {{16, "the passes alone", ""}, {18, "2 clocks more", nullptr}};
constexpr Answer passes_8[] = {{32, "the passes alone", ""}, {40, "a quarter more", nullptr}};
constexpr Answer passes_16[] = {{64, "the passes alone", ""}, {80, "a quarter more", nullptr}};
// A step of a chase is a latency and what issue, addresses and the lines' way add to it, by the rehearsal.
constexpr int lds_step = 4, l1_step = 10, l2_step = 19;
constexpr Answer lds[] = {{lds_latency + lds_step, "as in the model", ""}};
constexpr Answer l1[] = {{l1_latency + l1_step, "as in the model", ""}};
constexpr Answer l2[] = {{l2_latency + l2_step, "as in the model", ""}};
constexpr Answer pages[] = {{l2_latency + l2_step, "a CU knows them all", ""},
                            {l2_latency + l2_step + translation_latency, "each is looked up", "tlb"}};
constexpr Answer mall[] = {{mall_latency + l2_step, "as in the model", ""},
                           {hbm_latency + l2_step, "that of HBM", "cold"}};
constexpr Answer hbm[] = {{hbm_latency + l2_step, "as in the model", ""}};

constexpr auto none = ChaseThrough::nothing;
constexpr Question rows[] = {
    {"lds_read_rate", "how many bytes of LDS are read in a clock", "rate_lds_read_b128", none, lds_read},
    {"transcendental_rate", "how long v_exp_f32 takes", "micro_exp", none, transcendental},
    {"mfma_valu_slot", "whether an MFMA takes its SIMD's VALU slot", "rate_mfma_and_fma", none, mfma_slot},
    {"packed_beside_mfma", "32x32x16 bf16 MFMA, and behind each a v_pk_fma_f32 of other registers",
     "rate_mfma_and_pk_fma", none, packed_beside},
    {"cvt_pk_fp8", "how long v_cvt_pk_fp8_f32 takes", "rate_cvt_pk_fp8", none, conversion},
    {"cvt_pk_u8", "how long v_cvt_pk_u8_f32, the direct conversion, takes", "rate_cvt_pk_u8", none,
     direct_conversion},
    {"pk_fma", "how long v_pk_fma_f32 takes", "rate_pk_fma", none, packed},
    {"instruction_fetch", "a KiB of straight-line code, beyond what the instruction cache holds",
     "micro_code_91", ChaseThrough::code, fetch},
    {"barrier", "how long a barrier holds eight waves that came together", "rate_barrier", none, barrier},
    {"lds_dma_write", "how fast LDS DMA writes", "rate_lds_dma", none, dma_write},
    {"fma_chain", "after how long a v_fma_f32 may read the one before", "micro_fma_chain", none, fma_chain},
    {"mfma_chain", "16x16x32 bf16 MFMA, each of the sum before", "micro_mfma_chain", none, passes_4},
    {"mfma_16x16x32", "16x16x32 bf16 MFMA, four sums", "micro_mfma_streams", none, passes_4},
    {"mfma_32x32x16", "32x32x16 bf16 MFMA, four sums", "rate_mfma_32x32x16", none, passes_8},
    {"mfma_16x16x128", "16x16x128 f8f6f4 MFMA of fp8, four sums", "rate_mfma_16x16x128", none, passes_8},
    {"mfma_32x32x64", "32x32x64 f8f6f4 MFMA of fp8, four sums", "rate_mfma_32x32x64", none, passes_16},
    {"lds_latency", "a read of LDS at the address read before", "micro_lds_gather", ChaseThrough::lds, lds},
    {"l1_latency", "a load at the offset loaded before, from L1", "micro_global_chase", ChaseThrough::l1, l1},
    {"l2_latency", "the same from L2", "micro_global_chase", ChaseThrough::l2, l2},
    {"translation", "the same through 40 pages of 64 KiB in turn", "micro_global_chase", ChaseThrough::pages,
     pages},
    {"mall_latency", "the same from MALL", "micro_global_chase", ChaseThrough::mall, mall},
    {"hbm_latency", "the same from HBM", "micro_global_chase", ChaseThrough::hbm, hbm},
};

} // namespace

std::span<const Question> questions() { return rows; }

const Question* find_question(std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Question::name);
  return found == std::end(rows) ? nullptr : found;
}

const Answer* answer_of(const Question& question, double clocks) {
  const auto distance = [clocks](const Answer& answer) { return std::abs(answer.clocks - clocks); };
  const Answer& nearest = *std::ranges::min_element(question.answers, {}, distance);
  double most = nearest.clocks / 10;
  for (const Answer& other : question.answers)
    if (&other != &nearest) most = std::min(most, std::abs(other.clocks - nearest.clocks) / 3);
  return distance(nearest) <= most ? &nearest : nullptr;
}

const Answer& modelled_answer(const Question& question) {
  return *std::ranges::find_if(question.answers, [](const Answer& answer) {
    return answer.word && std::string_view(answer.word).empty();
  });
}

bool is_visible_on_model(const Question& question) { return question.through != ChaseThrough::hbm; }

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
