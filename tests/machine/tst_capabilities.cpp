// SPDX-License-Identifier: Apache-2.0
// One right sentence for each way in which a machine can lack a GPU or NVIDIA's libraries.
#include "base/files.h"
#include "machine/capabilities.h"
#include "machine/cuda_libraries.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

const Capability& find(const std::vector<Capability>& all, const std::string& key)
{
    for (const Capability& capability : all) {
        if (capability.key == key)
            return capability;
    }
    throw std::runtime_error("no capability " + key);
}

void write(const fs::path& path, const std::string& text)
{
    fs::create_directories(path.parent_path());
    if (!writeFileAtomic(path, text))
        throw std::runtime_error("cannot write " + path.string());
}

} // namespace

class TestCapabilities : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void driver_data();
    void driver();
    void noDriver();
    void libraries();
    void runnerMissing();

private:
    CapabilityOptions with(const std::string& answer) const;
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_path;
};

void TestCapabilities::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = m_folder->path().toStdString();
    // The loader's folder of this test: a libcuda.so.1 that nothing here opens.
    write(m_path / "lib" / "libcuda.so.1", "\x7f"
                                           "ELF");
    qputenv("LD_LIBRARY_PATH", (m_path / "lib").string().c_str());
}

/// A runner that answers --gpus with that line.
CapabilityOptions TestCapabilities::with(const std::string& answer) const
{
    CapabilityOptions options;
    options.runner = m_path / "runner";
    write(options.runner, "#!/bin/sh\n[ \"$1\" = --gpus ] && echo '" + answer + "'\n");
    fs::permissions(options.runner, fs::perms::owner_all);
    options.cudaFolders = {m_path / "cuda"};
    return options;
}

void TestCapabilities::driver_data()
{
    QTest::addColumn<QByteArray>("answer");
    QTest::addColumn<QByteArray>("driver");
    QTest::addColumn<QByteArray>("gpu");
    const QByteArray none =
        "There is no NVIDIA GPU that can be used, so kernels run on the simulated device and times "
        "are simulated.";
    QTest::newRow("works")
        << QByteArray(
               R"({"gpus":[{"name":"NVIDIA H200","driver":"580.1","major":9,"minor":0,"memory":1e11}]})")
        << QByteArray("Driver 580.1 is running.") << QByteArray("NVIDIA H200 was found.");
    QTest::newRow("two")
        << QByteArray(
               R"({"gpus":[{"name":"A","driver":"580.1","major":8},{"name":"B","driver":"580.1","major":9}]})")
        << QByteArray("Driver 580.1 is running.") << QByteArray("2 GPUs were found, the first is A.");
    QTest::newRow("old GPU")
        << QByteArray(R"({"gpus":[{"name":"Tesla T4","driver":"580.1","major":7,"minor":5}]})")
        << QByteArray("Driver 580.1 is running.")
        << QByteArray("Tesla T4 is older than Ampere (compute capability 7.5), so kernels run on the "
                      "simulated device.");
    QTest::newRow("old driver")
        << QByteArray(
               R"({"what":"the NVIDIA driver is too old: it is for CUDA 12.4, and CUDA 13 is needed","remedy":"update it"})")
        << QByteArray("The NVIDIA driver is too old: it is for CUDA 12.4, and CUDA 13 is needed, "
                      "so kernels run on the simulated device.")
        << none;
    QTest::newRow("no device")
        << QByteArray(R"({"what":"the NVIDIA driver finds no GPU","remedy":"look"})")
        << QByteArray("The NVIDIA driver finds no GPU, so kernels run on the simulated device.") << none;
}

void TestCapabilities::driver()
{
    QFETCH(QByteArray, answer);
    QFETCH(QByteArray, driver);
    QFETCH(QByteArray, gpu);
    const auto all = probeCapabilities(with(answer.toStdString()));
    QCOMPARE(QByteArray(find(all, "driver").sentence.c_str()), driver);
    QCOMPARE(QByteArray(find(all, "gpu").sentence.c_str()), gpu);
    const bool works = driver.startsWith("Driver");
    QCOMPARE(find(all, "driver").level, works ? Capability::Level::Ok : Capability::Level::Broken);
    QCOMPARE(find(all, "driver").remedy.empty(), works);
}

void TestCapabilities::noDriver()
{
    fs::remove(m_path / "lib" / "libcuda.so.1");
    if (fs::exists("/usr/lib/x86_64-linux-gnu/libcuda.so.1") || fs::exists("/proc/driver/nvidia"))
        QSKIP("This machine has a driver.");
    const auto all = probeCapabilities(with(R"({"what":"there is no NVIDIA driver here","remedy":"none"})"));
    QCOMPARE(find(all, "driver").level, Capability::Level::Missing);
    QCOMPARE(find(all, "driver").sentence,
             std::string("No NVIDIA driver is installed, so kernels run on the simulated device."));
    QCOMPARE(find(all, "gpu").level, Capability::Level::Missing);
}

void TestCapabilities::libraries()
{
    const auto options = with(R"({"gpus":[{"name":"A","driver":"580.1","major":9}]})");
    auto all = probeCapabilities(options);
    QCOMPARE(find(all, "nvrtc").level, Capability::Level::Missing);
    QCOMPARE(find(all, "nvrtc").sentence,
             std::string(
                 "libnvrtc.so.13 was not found, so programs cannot be compiled and nothing can be judged."));
    QCOMPARE(find(all, "nvjitlink").level, Capability::Level::Missing);
    QCOMPARE(find(all, "cusparse").level, Capability::Level::Missing);
    // What cannot be done then, each by itself.
    QCOMPARE(
        find(all, "nvjitlink").sentence,
        std::string("libnvJitLink.so.13 was not found, so no program can be assembled, so nothing can be "
                    "judged, neither on a GPU nor on the simulator."));
    QCOMPARE(
        find(all, "cusparse").sentence,
        std::string("libcusparse.so.12 was not found, so kernels on the GPU have no baseline to be compared "
                    "with."));
    for (const char* key : {"nvrtc", "nvjitlink", "cusparse"})
        QVERIFY(find(all, key).remedy.find("packaging/setup") != std::string::npos);
    for (const char* name : {"libnvrtc.so.13", "libnvJitLink.so.13", "libcusparse.so.12"})
        write(m_path / "cuda" / name, "\x7f"
                                      "ELF");
    all = probeCapabilities(options);
    QVERIFY(find(all, "nvrtc").sentence.find("libnvrtc-builtins is missing") != std::string::npos);
    QCOMPARE(find(all, "nvjitlink").level, Capability::Level::Ok);
    QCOMPARE(find(all, "cusparse").level, Capability::Level::Ok);
    write(m_path / "cuda" / "libnvrtc-builtins.so.13.0", "\x7f"
                                                         "ELF");
    write(m_path / "cuda" / "libnvJitLink.so.13", "a text");
    all = probeCapabilities(options);
    QVERIFY(find(all, "nvjitlink").sentence.find("exists but is not a library") != std::string::npos);
    // Headers that programs may include are the machine's, too; they lie beside the folder of the libraries.
    QCOMPARE(find(all, "nvrtc").level, Capability::Level::Broken);
    for (const std::string_view name : toolkitHeaders)
        write(m_path / "include" / name, "//");
    write(m_path / "include" / "cccl" / "nv" / "target", "//");
    all = probeCapabilities(options);
    QVERIFY2(find(all, "nvrtc").sentence.find("the header crt/mma.h is not in ") != std::string::npos,
             find(all, "nvrtc").sentence.c_str());
    QVERIFY(find(all, "nvrtc")
                .sentence.ends_with(
                    "so programs that include it, also by another header, cannot be judged; others are."));
    write(m_path / "include" / "crt" / "mma.h", "//");
    all = probeCapabilities(options);
    QCOMPARE(find(all, "nvrtc").level, Capability::Level::Ok);
}

void TestCapabilities::runnerMissing()
{
    CapabilityOptions options;
    options.runner = m_path / "nothing";
    options.cudaFolders = {m_path / "cuda"};
    const auto all = probeCapabilities(options);
    QVERIFY(find(all, "driver").sentence.find("was not tried") != std::string::npos);
    QCOMPARE(find(all, "runner").level, Capability::Level::Missing);
}

QTEST_GUILESS_MAIN(TestCapabilities)
#include "tst_capabilities.moc"
