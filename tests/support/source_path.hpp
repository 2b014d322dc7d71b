#pragma once
// Where files of the repository lie that a test reads. The folder's name stands in one object, so that a compiler cache
// knows the others again in a clone elsewhere.

#include <string>
#include <string_view>

std::string source_path(std::string_view inside); // "data/cases/demo" of the repository, whole
