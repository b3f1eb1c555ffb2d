// SPDX-License-Identifier: Apache-2.0
#define SPARSERL_LANES avx2Lanes
#define SPARSERL_LANES_NAME "avx2"
#include "device/simulator/lanes/lane_ops_body.h"
