// SPDX-License-Identifier: Apache-2.0
#include "bundle_maker.h"

#include "export/gated_ptx.h"
#include "kernel/bundle.h"
#include "matrix/generate.h"

#include <QProcess>
#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

Finished runProgram(const QString& program, const QStringList& arguments, const std::filesystem::path& folder,
                    const std::map<std::string, std::string>& variables)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const auto& [name, value] : variables)
        environment.insert(QString::fromStdString(name), QString::fromStdString(value));
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(QString::fromStdString(folder.string()));
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    Finished finished;
    // The limit of the whole test ends what hangs.
    if (process.waitForFinished(-1) && process.exitStatus() == QProcess::NormalExit)
        finished.exit = process.exitCode();
    finished.output = process.readAll().toStdString();
    return finished;
}

BundleMaker::BundleMaker()
    : m_nvrtc([] {
        auto created = ProgramCompiler::create();
        if (!created)
            qFatal("%s", created.error().sentence().c_str());
        return std::move(*created);
    }())
{
}

std::string BundleMaker::write(const std::string& text, const Csr& matrix,
                               const std::filesystem::path& folder)
{
    BundleRequest request;
    auto program = parseProgram(text);
    if (!program)
        return program.error().reason;
    request.program = std::move(*program);
    CompileRequest wanted;
    wanted.code = request.program.code;
    for (const PlanCall& call : request.program.plan.calls)
        wanted.kernels.push_back(call.kernel);
    wanted.assemble = false;
    const auto compiled = m_nvrtc.compile(wanted);
    if (!compiled)
        return compiled.error().sentence();
    if (!*compiled)
        return compiled->error().message;
    auto code = gateForBundle(request.program.plan, (*compiled)->ptx);
    if (!code)
        return code.error().sentence();
    if (!checkVerified(*code, (*compiled)->ptxHash) || checkVerified(*code, "other") ||
        checkVerified(*code, ""))
        return "PTX hashes are not compared";
    request.code = std::move(*code);
    request.matrix = &matrix;
    request.target.name = "the matrix";
    request.target.variant.columns = request.program.plan.task == Task::SpMM ? 8 : 1;
    const auto status = writeBundle(folder, request);
    return status ? std::string() : status.error().sentence();
}

Csr definiteMatrix(int n)
{
    Csr m = *generate(fmt::format("stencil2d(n={},points=5)", n));
    for (int r = 0; r < m.rows; ++r) {
        const auto first = static_cast<std::size_t>(m.rowPtr[r]),
                   last = static_cast<std::size_t>(m.rowPtr[r + 1]);
        float sum = 0;
        for (std::size_t i = first; i < last; ++i) {
            const int low = std::min(r, m.col[i]), high = std::max(r, m.col[i]);
            m.val[i] = -0.5f - static_cast<float>((low * 31 + high * 17) % 64) / 128;
            sum += m.col[i] == r ? 0 : -m.val[i];
        }
        for (std::size_t i = first; i < last; ++i)
            m.val[i] = m.col[i] == r ? sum + 0.01f : m.val[i];
    }
    return m;
}

} // namespace sparserl
