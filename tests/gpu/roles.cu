#include "tests/warpline/roles.cpp"
