#include "castor/twin/make_twin.h"

namespace castor::twin {

Kind parse_kind(const std::string& text) {
  for (const Kind kind : {Kind::kModel, Kind::kRtl, Kind::kLockstep}) {
    if (text == name(kind)) return kind;
  }
  throw base::InputError("no engine '" + base::printable(text) + "'", "engines are model, rtl and lockstep");
}

const char* name(Kind kind) {
  switch (kind) {
    case Kind::kModel:
      return "model";
    case Kind::kRtl:
      return "rtl";
    case Kind::kLockstep:
      return "lockstep";
  }
  return "?";
}

}  // namespace castor::twin
