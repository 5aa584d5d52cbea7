// Prints the survivors of the space; compiled and run when the build is configured.
#include "samples/ladder/survivors.h"
#include "tuner/list.h"

int main() { warpline::tuner::print_space(ladder::survivors, ladder::in_subset); }
