#include "tests/differential/mbarrier.cpp"
