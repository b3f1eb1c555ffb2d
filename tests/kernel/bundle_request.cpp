// SPDX-License-Identifier: Apache-2.0
#include "bundle_request.h"

#include "base/files.h"
#include "base/rng.h"

#include <QtGlobal>
#include <algorithm>

namespace sparserl {

Csr randomMatrix(int rows, int cols, double density, std::uint64_t seed)
{
    Rng rng(seed);
    Csr m;
    m.rows = rows;
    m.cols = cols;
    for (int r = 0; r < rows; ++r) {
        const double share = r % 5 == 0 ? 0 : r % 7 == 0 ? 4 * density : density;
        for (int c = 0; c < cols; ++c) {
            if (rng.chance(share)) {
                m.col.push_back(c);
                m.val.push_back(static_cast<float>(rng.uniform(-1, 1)));
            }
        }
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    return m;
}

KernelProgram programOf(const std::string& text)
{
    auto program = parseProgram(text);
    if (!program)
        qFatal("%s", program.error().reason.c_str());
    return *program;
}

std::vector<BundleKernel> kernelsOf(const Plan& plan, int integerBytes)
{
    std::vector<BundleKernel> kernels;
    for (const PlanCall& call : plan.calls) {
        BundleKernel kernel{call.kernel, {}};
        for (const PlanArgument& argument : call.arguments)
            kernel.parameterBytes.push_back(!argument.array.empty() ? 8
                                            : argument.factor       ? static_cast<int>(sizeOf(plan.type))
                                            : argument.value        ? integerBytes
                                                                    : 4);
        const bool known = std::any_of(kernels.begin(), kernels.end(),
                                       [&](const BundleKernel& k) { return k.name == call.kernel; });
        if (!known)
            kernels.push_back(std::move(kernel));
    }
    return kernels;
}

BundleRequest requestFor(const std::string& text, const Csr& m)
{
    BundleRequest request;
    request.program = programOf(text);
    request.code = {".version 9.0\n.target sm_80\n.address_size 64\n// no kernels: nothing here runs it\n",
                    "cafe", kernelsOf(request.program.plan)};
    request.matrix = &m;
    request.target.name = "a \"name\"";
    request.target.variant.columns = request.program.plan.task == Task::SpMM ? 8 : 1;
    return request;
}

std::map<std::string, std::string> filesOf(const std::filesystem::path& bundle)
{
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(bundle)) {
        if (entry.is_regular_file())
            files[entry.path().lexically_relative(bundle).string()] = *readFile(entry.path());
    }
    return files;
}

} // namespace sparserl
