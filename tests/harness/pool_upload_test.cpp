// KV pools on the device. The fake library's device memory is host memory, so the bytes can be looked at.
#include "harness/device/device_case.hpp"
#include "harness/device/pool_upload.hpp"
#include "interface/case_string.hpp"
#include "interface/validate.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cstring>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

size_t page_bytes(const Tensor& pool) { return pool.bytes() / static_cast<size_t>(pool.shape()[0]); }

// Page `page` of a pool as the kernel finds it: by base and stride.
bool page_is_there(const Problem& problem, const void* base, int64_t stride, const Tensor& pool,
                   int64_t page) {
  const size_t bytes = page_bytes(pool);
  const size_t step = stride != 0 ? static_cast<size_t>(stored_bytes(problem.kv_type, stride)) : bytes;
  const auto index = static_cast<size_t>(page);
  return std::memcmp(static_cast<const std::byte*>(base) + index * step, pool.data() + index * bytes,
                     bytes) == 0;
}

} // namespace

TEST_CASE("every page of K and of V is where base and stride say, in every layout, apart, strided and "
          "interleaved") {
  for (const char* text :
       {"page=1", "kv=fp8/page=64", "layout=vectorized/page=16", "page=16/strided=1",
        "kv=fp8/page=1/strided=1", "kv=fp8/layout=vectorized/page=64/strided=1", "layout=hnd/page=48",
        "layout=hnd/page=16/strided=1", "page=16/interleaved=1", "kv=fp8/layout=hnd/page=64/interleaved=1",
        "layout=vectorized/interleaved=1", "d=192:128", "d=192:128/kv=fp8/layout=hnd/page=48/strided=1",
        "d=192:128/layout=vectorized/strided=1", "kv=mxfp4/page=32", "kv=mxfp4/page=64/strided=1",
        "kv=mxfp4/layout=hnd/page=32/interleaved=1"}) {
    CAPTURE(text);
    const Problem problem = parse_case(std::string("batch_prefill/h=4:2/sq=3,5/sk=70,9/") + text);
    const Tensors host = workload::make_tensors(problem);
    const DeviceCase device(problem, host);
    const DeviceTensors& tensors = device.tensors();
    CHECK_NOTHROW(validate_device_tensors(problem, tensors));
    CHECK((tensors.k_page_stride != 0) == (problem.strided || problem.interleaved));
    for (int64_t page = 0; page < host.pool_pages(); ++page) {
      CHECK(page_is_there(problem, tensors.k_pool, tensors.k_page_stride, host.k_pool, page));
      CHECK(page_is_there(problem, tensors.v_pool, tensors.v_page_stride, host.v_pool, page));
    }
  }
}

TEST_CASE("strided pools: K before V, NaN bytes behind each, pages aligned to 16 bytes and no more") {
  const Problem problem = parse_case("batch_prefill/h=2:1/sq=3/sk=40/d=128/kv=fp8/strided=1");
  const Tensors host = workload::make_tensors(problem);
  const SharedPools pools =
      upload_shared(problem, host, entries_to_upload(problem, host, store_of(problem, "k_pool")));
  const size_t bytes = page_bytes(host.k_pool), stride = 2 * (bytes + 48);
  CHECK(pools.v_offset == bytes + 48);
  CHECK(pools.page_stride == static_cast<int64_t>(stride));
  CHECK(pools.k.buffer.bytes() == stride * static_cast<size_t>(host.pool_pages()));
  CHECK(pools.v_offset % 32 == 16);
  const auto* all = pools.k.buffer.as<std::byte>();
  for (size_t half = 0; half < 2 * static_cast<size_t>(host.pool_pages()); ++half)
    CHECK(std::all_of(all + half * (bytes + 48) + bytes, all + (half + 1) * (bytes + 48),
                      [](std::byte b) { return b == std::byte{0xFF}; }));
}

TEST_CASE("interleaved pools: page by page K and V, and nothing else, also at a wanted place") {
  const Problem problem = parse_case("batch_prefill/h=4:2/sq=3/sk=40/d=128/kv=fp8/layout=hnd/interleaved=1");
  Tensors host = workload::make_tensors(problem);
  const size_t bytes = page_bytes(host.k_pool), pages = static_cast<size_t>(host.pool_pages());
  for (const bool wanted : {false, true}) {
    if (wanted) host.pool_place = PoolPlace{.line = 1 << 20, .before = 3 * bytes};
    const SharedPools pools =
        upload_shared(problem, host, entries_to_upload(problem, host, store_of(problem, "k_pool")));
    CHECK(pools.v_offset == bytes);
    CHECK(pools.page_stride == 2 * problem.page_elements());
    CHECK(pools.k.buffer.bytes() == 2 * bytes * pages + (wanted ? 1 << 20 : 0));
    const auto* const begin = pools.k.buffer.as<std::byte>() + pools.k.begin;
    if (wanted) CHECK((reinterpret_cast<uintptr_t>(begin) + 3 * bytes) % (1 << 20) == 0);
    for (size_t page = 0; page < pages; ++page) {
      CHECK(std::memcmp(begin + 2 * page * bytes, host.k_pool.data() + page * bytes, bytes) == 0);
      CHECK(std::memcmp(begin + (2 * page + 1) * bytes, host.v_pool.data() + page * bytes, bytes) == 0);
    }
  }
}

TEST_CASE("interleaved pools of no page: no memory, strides all the same") {
  const Problem problem = parse_case("batch_prefill/h=4:2/sq=3/sk=0/d=128/spare=0/interleaved=1");
  const Tensors host = workload::make_tensors(problem);
  const DeviceCase device(problem, host);
  CHECK(device.tensors().k_pool == nullptr);
  CHECK(device.tensors().v_pool == nullptr);
  CHECK_NOTHROW(validate_device_tensors(problem, device.tensors()));
}

TEST_CASE("of a large pool only the pages that hold something are uploaded") {
  Problem problem = parse_case("batch_prefill/h=8:8/sq=3/sk=3000/d=128/page=1024/spare=300");
  Tensors host = workload::make_tensors(problem);
  const std::vector<int64_t> written = entries_to_upload(problem, host, store_of(problem, "k_pool"));
  CHECK(written == std::vector<int64_t>(host.written_pages.begin(), host.written_pages.end()));
  CHECK(written.size() < 30);
  host.written_pages.clear(); // as of a loaded folder
  const std::vector<int64_t> found = entries_to_upload(problem, host, store_of(problem, "k_pool"));
  CHECK(found == written);
  const int64_t zeros = [&] {
    int64_t page = 0;
    while (std::ranges::count(found, page) > 0) ++page;
    return page;
  }();
  host.v_pool.data()[static_cast<size_t>(zeros + 1) * page_bytes(host.v_pool) - 1] = std::byte{1};
  CHECK(std::ranges::count(entries_to_upload(problem, host, store_of(problem, "k_pool")), zeros) == 1);
  problem.spare_pages = 3;
  CHECK(entries_to_upload(problem, workload::make_tensors(problem), store_of(problem, "k_pool")).size() == 6);
}

TEST_CASE("rows and lists of sparse_prefill are on the device as on the host") {
  const auto same = [](const void* device, const Tensor& host) {
    return host.empty() ? device == nullptr : std::memcmp(device, host.data(), host.bytes()) == 0;
  };
  for (const char* text : {"kv=bf16", "kv=fp8", "kv=fp8/format=packed"}) {
    CAPTURE(text);
    const Problem problem =
        parse_case(std::string("sparse_prefill/h=16/n=3/pool=70/chunk=9/scale=1/lse=1/sinklogit=1/") + text);
    const Tensors host = workload::make_tensors(problem);
    const DeviceCase device(problem, host);
    const DeviceSparseTensors& there = sparse_tensors(device.tensors());
    CHECK_NOTHROW(validate_device_tensors(problem, device.tensors()));
    const auto check = [&](const DeviceSparseRows& rows, const SparseRows& of) {
      CHECK(same(rows.nope, of.nope));
      CHECK(same(rows.rope, of.rope));
      CHECK(same(rows.scale, of.scale));
    };
    check(there.q, sparse_tensors(host).q);
    check(there.pool, sparse_tensors(host).pool);
    check(there.chunk, sparse_tensors(host).chunk);
    CHECK(same(there.prefix_indptr, sparse_tensors(host).prefix_indptr));
    CHECK(same(there.prefix_indices, sparse_tensors(host).prefix_indices)); // padding too
    CHECK(same(there.extend_indptr, sparse_tensors(host).extend_indptr));
    CHECK(same(there.extend_indices, sparse_tensors(host).extend_indices));
    CHECK(same(device.tensors().sink_logit, host.sink_logit));
    CHECK(device.tensors().q == nullptr);
  }
}

TEST_CASE("of a large pool of rows only those that hold something are uploaded") {
  const Problem problem =
      parse_case("sparse_prefill/h=16/n=2/pool=800000/chunk=5/scale=1/kv=fp8/prefix=9/extend=1");
  Tensors host = workload::make_tensors(problem);
  SparseTensors& t = sparse_tensors(host);
  const auto uploaded = entries_to_upload(problem, host, store_of(problem, "pool_nope"));
  CHECK(uploaded == std::vector<int64_t>(t.pool.written.begin(), t.pool.written.end()));
  CHECK(uploaded.size() < 60);
  CHECK(entries_to_upload(problem, host, store_of(problem, "chunk_nope")).size() == 5);
  t.pool.written.clear(); // as of a loaded folder
  CHECK(entries_to_upload(problem, host, store_of(problem, "pool_nope")) == uploaded);
}

TEST_CASE("what a loaded pool holds anywhere is on the device, descales too") {
  for (const char* text : {"kv=fp8/page=16", "kv=fp8/quant=page/page=16", "kv=fp8/quant=mx/page=32",
                           "kv=fp8/layout=vectorized/page=64/strided=1"}) {
    CAPTURE(text);
    const Problem problem =
        parse_case(std::string("batch_prefill/h=4:2/sq=3,5/sk=70,9/d=128/spare=40/") + text);
    Tensors host = workload::make_tensors(problem);
    host.written_pages.clear();
    const size_t none = 0; // bytes of a pool that is uploaded whatever it holds
    const std::vector<int64_t> pages = entries_to_upload(problem, host, store_of(problem, "k_pool"), none);
    CHECK(std::ssize(pages) == host.pool_pages()); // the spare ones are NaN
    // A page that no request names and only a descale of which is not zero.
    if (!is_part_of(host, store_of(problem, "k_pool"), host.v_descale)) continue;
    const auto touched = touched_pages(problem, host);
    int64_t spare = 0;
    while (std::ranges::count(touched, spare) > 0) ++spare;
    for (Tensor* tensor : {&host.k_pool, &host.v_pool, &host.k_descale})
      std::fill_n(tensor->data() + static_cast<size_t>(spare) * page_bytes(*tensor), page_bytes(*tensor),
                  std::byte{0});
    CHECK(entries_to_upload(problem, host, store_of(problem, "k_pool"), none) == pages);
    std::fill_n(host.v_descale.data() + static_cast<size_t>(spare) * page_bytes(host.v_descale),
                page_bytes(host.v_descale), std::byte{0});
    CHECK(entries_to_upload(problem, host, store_of(problem, "k_pool"), none).size() + 1 == pages.size());
  }
}

TEST_CASE("a loaded batch pool beyond 64 MiB keeps its NaN pages") {
  const Problem problem = parse_case("batch_prefill/h=1:1/sq=3/sk=3000/d=128/kv=fp8/page=1024/spare=520");
  Tensors host = workload::make_tensors(problem);
  REQUIRE(host.k_pool.bytes() > whole_pool_bytes);
  host.written_pages.clear();
  const DeviceCase device(problem, host);
  const DeviceTensors& tensors = device.tensors();
  CHECK(std::memcmp(tensors.k_pool, host.k_pool.data(), host.k_pool.bytes()) == 0);
  CHECK(std::memcmp(tensors.v_pool, host.v_pool.data(), host.v_pool.bytes()) == 0);
}
