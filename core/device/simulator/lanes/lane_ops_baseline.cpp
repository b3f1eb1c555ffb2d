// SPDX-License-Identifier: Apache-2.0
#define SPARSERL_LANES baselineLanes
#define SPARSERL_LANES_NAME "baseline"
#include "device/simulator/lanes/lane_ops_body.h"
