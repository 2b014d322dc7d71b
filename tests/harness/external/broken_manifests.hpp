#pragma once
// Manifests with one mistake each: what the reader says of it. A text that ends in "..." is the beginning of the error.

#include "interface/error.hpp"
#include "tests/harness/external/manifests.hpp"

#include <initializer_list>

namespace fmha950::test {

inline std::string said_of(const ManifestFolder& folder) {
  try {
    (void)folder.read();
    return "accepted";
  } catch (const InvalidInput& error) {
    return folder.without_path(error.what());
  }
}

struct Broken {
  const char* patch; // RFC 6902, of the sound manifest
  const char* error; // behind "FOLDER/m.json: "
};

inline void check_refused(std::initializer_list<Broken> all,
                          const nlohmann::json& sound = nlohmann::json::parse(sound_manifest)) {
  ManifestFolder folder;
  for (const Broken& each : all) {
    INFO(each.patch);
    folder.manifest = sound;
    folder.patch(each.patch);
    const std::string said = said_of(folder);
    const std::string expected = std::string("FOLDER/m.json:") + each.error;
    if (expected.ends_with("..."))
      CHECK_THAT(said, Catch::StartsWith(expected.substr(0, expected.size() - 3)));
    else
      CHECK(said == expected);
  }
}

// Replaces a value, adds a member.
#define REPLACE(path, value) R"([{"op":"replace","path":")" path R"(","value":)" value "}]"
#define ADD(path, value) R"([{"op":"add","path":")" path R"(","value":)" value "}]"
#define REMOVE(path) R"([{"op":"remove","path":")" path R"("}])"

} // namespace fmha950::test
