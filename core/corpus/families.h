// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/family.h"

// The functions that describe the families, each defined in its own file.
#define SPARSERL_FAMILY(task, name)                                                                          \
    namespace sparserl::task {                                                                               \
    KernelFamily name();                                                                                     \
    }
#include "corpus/families.def"
#undef SPARSERL_FAMILY
