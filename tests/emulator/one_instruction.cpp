#include "tests/emulator/one_instruction.hpp"

#include "emulator/machine/float_mode.hpp"
#include "numerics/target.hpp"

#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Triple.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <stdexcept>

namespace fmha950::test {
namespace {

// Collects the bytes of every instruction the parser hands over.
class Collector : public llvm::MCStreamer {
 public:
  Collector(llvm::MCContext& context, llvm::MCCodeEmitter& emitter)
      : MCStreamer(context), emitter_(emitter) {}
  bool emitSymbolAttribute(llvm::MCSymbol*, llvm::MCSymbolAttr) override { return true; }
  void emitCommonSymbol(llvm::MCSymbol*, uint64_t, llvm::Align) override {}
  void emitZerofill(llvm::MCSection*, llvm::MCSymbol*, uint64_t, llvm::Align, llvm::SMLoc) override {}
  void emitInstruction(const llvm::MCInst& inst, const llvm::MCSubtargetInfo& subtarget) override {
    llvm::SmallVector<char, 16> code;
    llvm::SmallVector<llvm::MCFixup, 2> fixups;
    emitter_.encodeInstruction(inst, code, fixups, subtarget);
    bytes.insert(bytes.end(), code.begin(), code.end());
  }
  std::vector<uint8_t> bytes;

 private:
  llvm::MCCodeEmitter& emitter_;
};

} // namespace

std::vector<uint8_t> assemble(std::string_view text) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
  const llvm::Triple triple("amdgcn-amd-amdhsa");
#if LLVM_VERSION_MAJOR >= 22
  const llvm::Triple& name = triple;
#else
  const std::string name = triple.str();
#endif
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(name, error);
  if (!target) throw std::runtime_error(error);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text.data(), text.size())),
                             {});
  std::string message;
  sources.setDiagHandler([](const llvm::SMDiagnostic& d,
                            void* out) { *static_cast<std::string*>(out) += d.getMessage().str() + "\n"; },
                         &message);
  const llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(name));
  std::unique_ptr<llvm::MCAsmInfo> info(target->createMCAsmInfo(*registers, name, options));
  std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(name, "gfx950", ""));
  llvm::MCContext context(triple, info.get(), registers.get(), subtarget.get(), &sources, &options);
  std::unique_ptr<llvm::MCObjectFileInfo> sections(target->createMCObjectFileInfo(context, false));
  context.setObjectFileInfo(sections.get());
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target->createMCCodeEmitter(*instructions, context));
  Collector collector(context, *emitter);
  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, collector, *info));
  std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  target->createNullTargetStreamer(collector);
  parser->setTargetParser(*target_parser);
  if (parser->Run(false) || !message.empty()) throw std::runtime_error("cannot assemble: " + message);
  return collector.bytes;
}

OneWave::OneWave(machine::Options options, uint32_t vgprs, uint32_t accum_offset)
    : vgprs_(size_t{vgprs} * 64), lds_(target.lds_bytes_per_cu) {
  launch_.options = options;
  workgroup_.launch = &launch_;
  workgroup_.lds = lds_.data();
  workgroup_.lds_bytes = target.lds_bytes_per_cu;
  workgroup_.waves.resize(1);
  machine::Wave& wave = workgroup_.waves[0];
  wave.workgroup = &workgroup_;
  wave.vgpr = vgprs_.data();
  wave.vgpr_count = vgprs;
  wave.accum_offset = accum_offset;
  wave.mode = default_mode;
  wave.set_exec(~uint64_t{0});
  wave.memory.reset(launch_.options.schedule, 1);
}

Code::Code(std::string_view text, uint32_t accum_offset) : Code(assemble(text), accum_offset) {}
Code::Code(const std::vector<uint8_t>& bytes, uint32_t accum_offset, isa::Program* keeper)
    : memory_(machine::AddressSpace::device().allocate(bytes.size())) {
  std::memcpy(memory_, bytes.data(), bytes.size());
  const auto begin = reinterpret_cast<uint64_t>(memory_);
  isa::Program::Copies copies; // jumps lead into these
  copies.blocks.push_back(
      std::make_unique<isa::Program::Block>(program_.decode(begin, begin + bytes.size(), accum_offset)));
  copies_ = &(keeper ? *keeper : program_).keep_copies("the code", std::move(copies));
  block_ = copies_->blocks.front().get();
  instructions_ =
      std::span(block_->instructions).first(block_->instructions.size() - 1); // without the sentinel
}
Code::~Code() { machine::AddressSpace::device().release(memory_); }

namespace {
void note_executed(const char* mnemonic) { // by whichever thread: some tests run a wave on each
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  executed_rows().insert(mnemonic);
}
} // namespace

void OneWave::run(std::string_view text) { run(Code(text, wave().accum_offset)); }
void OneWave::run(const Code& code) {
  const isa::Instruction* const end = code.instructions().data() + code.instructions().size();
  launch_.code = &code.copies();
  for (wave().next = code.instructions().data(); wave().next != end;) {
    const isa::Instruction& in = *wave().next;
    if (in.row) note_executed(in.row->mnemonic);
    wave().current = &in;
    wave().next = &in + 1;
    ++wave().executed;
    machine::execute(wave(), in);
    if (wave().memory.wants_steps()) wave().memory.step(wave());
  }
  wave().memory.drain(wave()); // operations in flight refer to this program
  launch_.code = nullptr;
}

uint32_t run_in_lane(std::string_view text, uint32_t a, uint32_t b, uint32_t c, uint32_t before,
                     uint32_t mode) {
  constexpr int lane = 3; // not the first: reads of lane 0 would show
  OneWave w;
  w.wave().mode = mode;
  w.lane(0, lane) = a;
  w.lane(1, lane) = b;
  w.lane(2, lane) = c;
  w.lane(6, lane) = before;
  w.run(text);
  return w.lane(6, lane);
}

std::set<std::string>& executed_rows() {
  struct Rows : std::set<std::string> {
    ~Rows() {
      const char* file = std::getenv("FMHA950_EXECUTED_ROWS");
      if (!file) return;
      std::ofstream out(file);
      for (const std::string& row : *this) out << row << '\n';
    }
  };
  static Rows rows;
  return rows;
}

std::vector<std::string> host_simds() {
  std::vector<std::string> names = {"baseline"};
  if (isa::widest_simd() >= isa::Simd::avx2) names.push_back("avx2");
  if (isa::widest_simd() >= isa::Simd::avx512) names.push_back("avx512");
  if (isa::widest_simd() >= isa::Simd::avx512_vbmi) names.push_back("avx512_vbmi");
  return names;
}

} // namespace fmha950::test
