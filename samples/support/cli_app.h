// CLI11's names for headers: its own header costs a unit 2 s.
#pragma once

namespace CLI {

class App;
class Validator;

}  // namespace CLI
