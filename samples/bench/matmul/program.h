// bench matmul
#pragma once

namespace bench {

/// argv[0] is the subcommand's name. Returns the exit status: 0 if all results are correct, 1 if
/// not or if something failed, 2 if the command line is wrong.
int matmul_main(int argc, char** argv);

}  // namespace bench
