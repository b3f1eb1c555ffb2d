// SPDX-License-Identifier: Apache-2.0
// The PTX in helper_kernels.h is what NVRTC makes of helper_kernels.cu. SPARSERL_UPDATE_KERNELS=1 writes it.
#include "base/files.h"
#include "compile/nvrtc.h"
#include "device/cuda/helper_kernels.h"

#include <QTest>
#include <filesystem>
#include <fmt/format.h>

using namespace sparserl;

namespace {

bool startsWith(const std::string& line, std::string_view start)
{
    return line.compare(0, start.size(), start) == 0;
}

/// The lines that are code: without comments, empty lines and what only debuggers read.
std::string codeOf(const std::string& ptx)
{
    std::string code;
    std::size_t at = 0;
    while (at < ptx.size()) {
        const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
        std::string line = ptx.substr(at, end - at);
        at = end + 1;
        line.erase(std::min(line.find("//"), line.size()));
        line.erase(line.find_last_not_of(" \t\r") + 1);
        const std::string word = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
        if (startsWith(word, ".section")) // the last ones: line numbers
            break;
        if (word.empty() || startsWith(word, ".loc") || startsWith(word, ".file") ||
            startsWith(word, "$L__tmp") || startsWith(word, "$L__func"))
            continue;
        code += line + "\n";
    }
    return code;
}

} // namespace

class TestHelperKernels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ptxIsOfItsSource()
    {
        const auto nvrtc = Nvrtc::load();
        if (!nvrtc)
            QFAIL(nvrtc.error().sentence().c_str());
        const std::filesystem::path folder = std::filesystem::path(SPARSERL_SOURCE_DIR) / "core/device/cuda";
        const auto source = readFile(folder / "helper_kernels.cu");
        QVERIFY(source);
        const auto made = nvrtc->compile(*source, {});
        QVERIFY(made && made->ok);
        const std::string code = codeOf(made->ptx), kept = codeOf(cuda::helperKernels);
        if (qEnvironmentVariableIsSet("SPARSERL_UPDATE_KERNELS")) {
            const std::filesystem::path file = folder / "helper_kernels.h";
            const auto header = readFile(file);
            QVERIFY(header);
            const auto from = header->find("R\"ptx(\n"), to = header->find(")ptx\"");
            QVERIFY(from != std::string::npos && to != std::string::npos);
            QVERIFY(writeFileAtomic(file, header->substr(0, from + 7) + code + header->substr(to)));
            return;
        }
        const auto versionOf = [](const std::string& text) { return text.substr(0, text.find('\n')); };
        if (versionOf(code) != versionOf(kept))
            QSKIP(fmt::format("NVRTC {} writes '{}', the header holds '{}'", nvrtc->version(),
                              versionOf(code), versionOf(kept))
                      .c_str());
        QVERIFY2(code == kept, "set SPARSERL_UPDATE_KERNELS=1 and run this test again");
    }
};

QTEST_APPLESS_MAIN(TestHelperKernels)
#include "tst_helper_kernels.moc"
