// The instructions, compared with what the simulator makes of them. One unit, as pipeline.cu.
#include "tests/differential/bulk_copy.cpp"
#include "tests/differential/cluster.cpp"
#include "tests/differential/mbarrier.cpp"
#include "tests/differential/tensor_load.cpp"
#include "tests/differential/tensor_store.cpp"
#include "tests/differential/tiles.cpp"
#include "tests/differential/warp.cpp"
#include "tests/differential/wgmma.cpp"
