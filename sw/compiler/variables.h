#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "castor/isa/module.h"
#include "compiler/builder.h"
#include "compiler/frame.h"
#include "compiler/ir.h"
#include "compiler/link.h"

namespace castor::compiler {

/// Storage of one variable of the function.
struct VariablePlace {
  enum class Kind : std::uint8_t {
    kNowhere,
    kKernelParameter,  ///< offset in the parameter block
    kPiece,            ///< a virtual register
    kFrame,            ///< offset in the frame
    kArea,             ///< offset in the argument area
    kShared,           ///< offset in the thread block's shared memory
    kDevice,           ///< device address
  };
  Kind kind = Kind::kNowhere;
  std::uint64_t offset = 0;
  RegisterId piece = kNoRegister;
};

/// Places of a function's variables: parameters, results, arguments of its calls, and memory. link.cpp defines the
/// calling convention: the location of each argument and result.
class Variables {
 public:
  Variables(const Linked& linked, const LinkedFunction& self, Builder& build, Frame& frame, Code& code)
      : linked_(linked), self_(self), function_(*self.function), build_(build), frame_(frame), code_(code) {}

  /// Records how the body uses parameter variables: its own parameters and the arguments and results of its calls.
  void scan_parameters();
  /// Places all variables. Emits the code that moves parameters of the function to their places.
  void place_variables();

  [[nodiscard]] const VariablePlace& place(std::size_t variable) const { return places_[variable]; }
  /// Returns the convention of a call's callees; null if none is known.
  [[nodiscard]] const Convention* convention_of(const isa::Call& call) const;

 private:
  /// How the body uses a variable in parameter space.
  struct ParameterUse {
    bool address_taken = false;
    bool pieces_only = true;  ///< all accesses read or write the whole value
    bool touched = false;
    std::size_t first_access = 0;
    std::size_t last_access = 0;
    unsigned calls = 0;
    std::size_t call_position = 0;
    bool is_result = false;
    unsigned position = 0;  ///< number of the argument or result in that call
  };

  void place_function_parameters();
  void place_call_variables();
  [[nodiscard]] bool direct_in_area(const ParameterUse& use) const;

  const Linked& linked_;
  const LinkedFunction& self_;
  const isa::Function& function_;
  Builder& build_;
  Frame& frame_;
  Code& code_;
  std::vector<VariablePlace> places_;
  std::vector<ParameterUse> uses_;
};

}  // namespace castor::compiler
