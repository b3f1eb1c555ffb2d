// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <dlfcn.h>
#include <string>
#include <unistd.h>

/// What libraries see of the current folder in a runner, where it has no name.
class RunnerFolderTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void namelessFolderIsAnEmptyName();
};

void RunnerFolderTest::namelessFolderIsAnEmptyName()
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    QSKIP("The sanitizer's own getcwd stands before the one of runners.");
#endif
    using GetCwd = char* (*)(char*, std::size_t);
    // As a library finds it that is opened at run time.
    const auto getCwd = reinterpret_cast<GetCwd>(::dlsym(RTLD_DEFAULT, "getcwd"));
    QVERIFY(getCwd);
    const QTemporaryDir parent;
    const std::string folder = parent.path().toStdString() + "/here";
    QVERIFY(QDir().mkdir(QString::fromStdString(folder)));
    QCOMPARE(::chdir(folder.c_str()), 0);
    std::array<char, 4096> name;
    name.fill('x');
    QVERIFY(getCwd(name.data(), name.size()));
    QCOMPARE(std::string(name.data()), folder);
    errno = 0;
    QVERIFY(!getCwd(name.data(), folder.size()));
    QCOMPARE(errno, ERANGE);
    QCOMPARE(::rmdir(folder.c_str()), 0);
    name.fill('x');
    QVERIFY(getCwd(name.data(), 2000));
    QCOMPARE(std::string(name.data()), std::string());
    char* const own = getCwd(nullptr, 0);
    QVERIFY(own);
    QCOMPARE(std::string(own), std::string());
    std::free(own);
    QCOMPARE(::chdir("/"), 0);
}

QTEST_GUILESS_MAIN(RunnerFolderTest)
#include "runner_folder_test.moc"
