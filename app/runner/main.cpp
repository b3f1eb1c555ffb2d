// SPDX-License-Identifier: Apache-2.0
#include "runner_main.h"

int main(int argc, char** argv)
{
    return sparserl::runnerMain(argc, argv, sparserl::openCudaGpu);
}
