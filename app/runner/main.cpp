// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/gpu_info.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "runner/runner_main.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unistd.h>

namespace {

/// What the driver says of this machine's GPUs, as one line of JSON: {"gpus":[...]} or
/// {"what":...,"remedy":...}.
int listGpusAsJson()
{
    nlohmann::json answer;
    if (const auto gpus = sparserl::listGpus()) {
        for (const sparserl::GpuInfo& gpu : *gpus)
            answer["gpus"].push_back(sparserl::toJson(gpu));
    } else {
        answer = {{"what", gpus.error().what}, {"remedy", gpus.error().remedy}};
    }
    std::puts(answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    std::fflush(stdout);
    ::_exit(0); // a driver in disorder may hang when it is left
}

} // namespace

int main(int argc, char** argv)
{
    if (argc == 2 && std::string_view(argv[1]) == "--gpus")
        return listGpusAsJson();
    return sparserl::runnerMain(argc, argv, sparserl::openCudaGpu);
}
