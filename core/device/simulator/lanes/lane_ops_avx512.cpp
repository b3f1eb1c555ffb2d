// SPDX-License-Identifier: Apache-2.0
#define SPARSERL_LANES avx512Lanes
#define SPARSERL_LANES_NAME "avx512"
#include "device/simulator/lanes/lane_ops_body.h"
