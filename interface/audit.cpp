#include "interface/audit.hpp"

namespace fmha950 {

PartSums& PartSums::operator+=(const PartSums& other) {
  information += other.information;
  own += other.own;
  floor += other.floor;
  plain += other.plain;
  got += other.got;
  return *this;
}

LseSums& LseSums::operator+=(const LseSums& other) {
  square += other.square;
  first += other.first;
  floor += other.floor;
  plain += other.plain;
  got += other.got;
  return *this;
}

} // namespace fmha950
