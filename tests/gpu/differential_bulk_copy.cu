#include "tests/differential/bulk_copy.cpp"
