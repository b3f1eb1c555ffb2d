// SPDX-License-Identifier: Apache-2.0
// The runtime of AppImages, from outside: images of mksquashfs, some with bytes changed so that they hold
// what mksquashfs would not write.
#include "tests/cli/programs.h"

#include "base/hash.h"

#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <filesystem>
#include <sys/stat.h>

using namespace sparserl;
using test::shell;

namespace fs = std::filesystem;

namespace {

const std::string source = SPARSERL_SOURCE_DIR;
const std::string runtime = SPARSERL_BIN_DIR "/sparserl-appimage-runtime";

std::string read(const fs::path& file)
{
    return readFile(file).value_or("(missing)");
}

/// A folder with an AppDir of a few files in it; `start()` runs the AppImage that `pack()` made of it.
class Bench
{
public:
    Bench()
    {
        make("mkdir -p AppDir/usr/bin AppDir/usr/empty && cd AppDir && seq 300000 >usr/numbers && echo small "
             ">usr/small && "
             "cp usr/small usr/bin/tool && chmod 755 usr/bin/tool && ln -s ../numbers usr/bin/link && ln -s "
             ". here && "
             "printf '#!/bin/sh\\necho started \"$@\" in \"$PWD\"\\necho appdir \"$APPDIR\"\\necho appimage "
             "\"$APPIMAGE\"\\n"
             "echo argv0 \"$ARGV0\"\\nexit 7\\n' >AppRun && chmod 755 AppRun");
    }

    fs::path folder() const { return m_folder.path().toStdString(); }
    fs::path cache() const { return folder() / "cache/sparserl/appimage"; }

    /// A shell line that must work; what it prints.
    std::string make(const std::string& line) const
    {
        const RunOutput output = shell(folder(), line);
        if (!output.status.ok())
            qFatal("%s: %s", line.c_str(), output.error.c_str());
        return output.output;
    }

    /// Makes test.AppImage of AppDir, whose files get an old date: what is written later has another. Without
    /// compression, names stand in the image as they are.
    void pack(const std::string& options = "-comp zstd -Xcompression-level 1") const
    {
        make("find AppDir -exec touch -h -d 2020-01-01 {} + && rm -f image && mksquashfs AppDir image "
             "-noappend -quiet -no-progress -no-xattrs -all-root " +
             options);
        append();
    }
    void append() const
    {
        make("python3 '" + source + "/packaging/append_image.py' '" + runtime + "' image test.AppImage");
    }
    /// Puts other bytes of the same number into the image where `from` stands, which must be in one place.
    void change(const std::string& from, const std::string& to) const
    {
        std::string bytes = read(folder() / "image");
        const std::size_t at = bytes.find(from);
        QVERIFY(at != std::string::npos && bytes.find(from, at + 1) == std::string::npos);
        QCOMPARE(from.size(), to.size());
        bytes.replace(at, from.size(), to);
        QVERIFY(writeFileAtomic(folder() / "image", bytes));
        append();
    }

    RunOutput start(const std::string& arguments = {}, const std::string& before = {}) const
    {
        return shell(folder(), before + " XDG_CACHE_HOME=\"$PWD/cache\" ./test.AppImage " + arguments);
    }
    fs::path unpacked() const { return cache() / sha256Hex(read(folder() / "image")); }

    /// The names in the cache but for the lock.
    std::vector<std::string> cached() const
    {
        std::vector<std::string> names;
        for (const fs::path& path : listDirectory(cache()).value_or(std::vector<fs::path>{})) {
            if (path.filename() != "lock")
                names.push_back(path.filename());
        }
        return names;
    }

private:
    QTemporaryDir m_folder;
};

ino_t inodeOf(const fs::path& path)
{
    struct stat info
    {
    };
    return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

void compareSentence(const RunOutput& output, int code, const std::string& part)
{
    QVERIFY2(output.error.find(part) != std::string::npos, output.error.c_str());
    QVERIFY2(output.error.starts_with("sparserl: "), output.error.c_str());
    QCOMPARE(output.status.code, code);
    QVERIFY(!output.status.signalled);
    QCOMPARE(output.output, std::string());
}

} // namespace

class TestPackagingAppImage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isTypeTwo();
    void startsWhatIsInside();
    void unpacksOnce();
    void compressions_data();
    void compressions();
    void damagedCacheIsMadeAnew_data();
    void damagedCacheIsMadeAnew();
    void leftoversOfAKilledStart();
    void damagedFileIsRefused();
    void hostileNames_data();
    void hostileNames();
    void hostileLinks_data();
    void hostileLinks();
    void hostileKinds();
    void diskThatFillsUp();
    void diskWithoutRoom();
    void foldersThatCannotBeUsed();
    void oldVersionsGo();
    void twoStartsAtOnce();
    void extracts();
    void ownOptions();
    void choosesProgram();
    void sparesLibrariesOfTheMachine();
    void oldGlibcIsASentence();
};

void TestPackagingAppImage::isTypeTwo()
{
    const Bench bench;
    bench.pack();
    const std::string bytes = read(bench.folder() / "test.AppImage");
    QCOMPARE(bytes.substr(0, 4), std::string("\x7f"
                                             "ELF"));
    QCOMPARE(bytes.substr(8, 3), std::string("AI\x02"));
    const std::size_t offset = std::stoull(bench.start("--appimage-offset").output);
    const std::string image = read(bench.folder() / "image");
    QCOMPARE(bytes.substr(offset, image.size()) == image, true);
    // Other programs that know squashfs find the files there.
    QVERIFY(bench.make("unsquashfs -o " + std::to_string(offset) + " -l test.AppImage").find("usr/numbers") !=
            std::string::npos);
}

void TestPackagingAppImage::startsWhatIsInside()
{
    const Bench bench;
    bench.pack();
    const RunOutput output = bench.start("one 'two three' --help");
    QCOMPARE(output.status.code, 7);
    const std::string here = fs::canonical(bench.folder());
    QCOMPARE(output.output, "started one two three --help in " + here + "\nappdir " +
                                bench.unpacked().string() + "\nappimage " + here +
                                "/test.AppImage\nargv0 ./test.AppImage\n");
    QCOMPARE(output.error, std::string());
    // By a link: APPIMAGE is the file, ARGV0 the name it was called by.
    const RunOutput linked =
        shell(bench.folder(), "ln -s test.AppImage other && XDG_CACHE_HOME=\"$PWD/cache\" ./other");
    QVERIFY(linked.output.find("appimage " + here + "/test.AppImage\nargv0 ./other\n") != std::string::npos);
}

void TestPackagingAppImage::unpacksOnce()
{
    const Bench bench;
    bench.pack();
    QCOMPARE(bench.start().status.code, 7);
    QCOMPARE(bench.make("diff -r --no-dereference AppDir '" + bench.unpacked().string() + "'"),
             std::string());
    QCOMPARE(read(bench.unpacked() / "usr/bin/link"), read(bench.folder() / "AppDir/usr/numbers"));
    const ino_t first = inodeOf(bench.unpacked() / "usr/numbers");
    QCOMPARE(bench.start().status.code, 7);
    QCOMPARE(inodeOf(bench.unpacked() / "usr/numbers"), first);
    QCOMPARE(bench.cached(), std::vector<std::string>{bench.unpacked().filename()});
    // Without XDG_CACHE_HOME, or with one that is no full path: ~/.cache.
    for (const char* variable : {"-u XDG_CACHE_HOME", "XDG_CACHE_HOME=relative"}) {
        const RunOutput output =
            shell(bench.folder(), std::string("env ") + variable + " HOME=\"$PWD/home\" ./test.AppImage");
        QVERIFY(output.output.find("/home/.cache/sparserl/appimage/" +
                                   bench.unpacked().filename().string()) != std::string::npos);
    }
}

void TestPackagingAppImage::compressions_data()
{
    QTest::addColumn<QString>("options");
    for (const char* options :
         {"-comp gzip", "-comp xz -b 1M", "-comp lz4", "-comp zstd -b 4K", "-noI -noD -noF", "-no-fragments",
          "-always-use-fragments", "-no-exports -no-duplicates"})
        QTest::newRow(options) << options;
}

void TestPackagingAppImage::compressions()
{
    QFETCH(QString, options);
    const Bench bench;
    bench.pack(options.toStdString());
    QCOMPARE(bench.start().status.code, 7);
    QCOMPARE(bench.make("diff -r --no-dereference AppDir '" + bench.unpacked().string() + "'"),
             std::string());
}

void TestPackagingAppImage::damagedCacheIsMadeAnew_data()
{
    QTest::addColumn<QString>("damage");
    for (const char* damage : {"rm usr/small", "truncate -s 1000 usr/numbers", "chmod -x usr/bin/tool",
                               "ln -sf ../small usr/bin/link", "rm usr/small && mkdir usr/small",
                               "rm -r usr/empty && touch usr/empty", "rm AppRun", "echo SMALL >usr/small",
                               "rm -r usr", "rm here && cp usr/small here", "cd .. && rm -r $D && touch $D"})
        QTest::newRow(damage) << damage;
}

void TestPackagingAppImage::damagedCacheIsMadeAnew()
{
    QFETCH(QString, damage);
    const Bench bench;
    bench.pack();
    QCOMPARE(bench.start().status.code, 7);
    const std::string folder = bench.unpacked();
    bench.make("D='" + folder + "' && cd \"$D\" && " + damage.toStdString());
    QVERIFY(shell(bench.folder(), "diff -r --no-dereference AppDir '" + folder + "' && test ! -e '" + folder +
                                      "/usr/bin/tool' -o -x '" + folder + "/usr/bin/tool'")
                .status.code != 0);
    QCOMPARE(bench.start().status.code, 7);
    QCOMPARE(bench.make("diff -r --no-dereference AppDir '" + folder + "' && test -x '" + folder +
                        "/usr/bin/tool'"),
             std::string());
    QCOMPARE(bench.cached(), std::vector<std::string>{bench.unpacked().filename()});
}

void TestPackagingAppImage::leftoversOfAKilledStart()
{
    const Bench bench;
    bench.pack();
    const std::string name = bench.unpacked().filename();
    const std::string other(64, '0');
    bench.make("mkdir -p cache/sparserl/appimage && cd cache/sparserl/appimage && mkdir " + name + ".part " +
               other + ".part " + other + ".old mine && echo x >" + name + ".part/usr");
    QCOMPARE(bench.start().status.code, 7);
    QCOMPARE(bench.make("diff -r --no-dereference AppDir '" + bench.unpacked().string() + "'"),
             std::string());
    std::vector<std::string> left{name, "mine"}; // What this program did not make is not its to remove.
    std::sort(left.begin(), left.end());
    QCOMPARE(bench.cached(), left);
}

void TestPackagingAppImage::damagedFileIsRefused()
{
    const Bench bench;
    bench.pack();
    const std::string good = read(bench.folder() / "test.AppImage");
    const std::size_t offset = std::stoull(bench.start("--appimage-offset").output);
    const auto write = [&](const std::string& bytes) {
        QVERIFY(writeFileAtomic(bench.folder() / "test.AppImage", bytes));
        bench.make("chmod 755 test.AppImage");
    };
    // Anywhere in the image: in data, which only the checksum covers, and in the tables.
    for (int part = 0; part < 8; ++part) {
        std::string bytes = good;
        const std::size_t at = offset + (good.size() - offset - 100) * part / 8 + 5;
        bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
        write(bytes);
        const RunOutput output = bench.start();
        QVERIFY2(output.status.code == 127 && !output.status.signalled, output.error.c_str());
        QVERIFY2(output.error.starts_with("sparserl: ") &&
                     output.error.ends_with("Download the file again\n"),
                 output.error.c_str());
        QCOMPARE(bench.cached(), std::vector<std::string>{});
    }
    for (const std::size_t cut :
         {std::size_t{1}, std::size_t{1000}, good.size() - offset, good.size() - offset - 50}) {
        write(good.substr(0, good.size() - cut));
        compareSentence(bench.start(), 127, "not complete");
    }
    write(good);
    QCOMPARE(bench.start().status.code, 7);
}

void TestPackagingAppImage::hostileNames_data()
{
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QString>("sentence");
    // A name in the table of folders follows its length less one, in two bytes.
    QTest::newRow("the folder above")
        << QByteArray("\1\0zq", 4) << QByteArray("\1\0..", 4) << "leads out of it";
    QTest::newRow("a path") << QByteArray("an_evil_name") << QByteArray("../../escape") << "leads out of it";
    QTest::newRow("a full path") << QByteArray("an_evil_name") << QByteArray("/tmp/escape_")
                                 << "leads out of it";
    QTest::newRow("a path below") << QByteArray("an_evil_name") << QByteArray("usr/evilname")
                                  << "leads out of it";
    QTest::newRow("a zero byte") << QByteArray("an_evil_name") << QByteArray("an_evil\0name", 12)
                                 << "leads out of it";
    QTest::newRow("twice") << QByteArray("double_b") << QByteArray("double_a") << "twice";
}

void TestPackagingAppImage::hostileNames()
{
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QString, sentence);
    const Bench bench;
    bench.make("cd AppDir && touch zq an_evil_name double_a double_b");
    bench.pack("-noI -noD -noF -noX");
    bench.change(from.toStdString(), to.toStdString());
    compareSentence(bench.start(), 127, sentence.toStdString());
    compareSentence(bench.start("--appimage-extract"), 127, sentence.toStdString());
    QCOMPARE(bench.cached(), std::vector<std::string>{});
    QVERIFY(!fs::exists(bench.folder() / "squashfs-root"));
    QVERIFY(!fs::exists(bench.folder() / "escape") && !fs::exists("/tmp/escape_"));
}

void TestPackagingAppImage::hostileLinks_data()
{
    QTest::addColumn<QString>("link");
    QTest::addColumn<QString>("target");
    QTest::newRow("above the root") << "out"
                                    << "../secret";
    QTest::newRow("full path") << "out"
                               << "/etc/passwd";
    QTest::newRow("far up from below") << "usr/bin/out"
                                       << "../../../secret";
    QTest::newRow("down and up") << "out"
                                 << "usr/../../secret";
    // usr/bin/up leads to the root, so a step up behind it would leave, though the text does not.
    QTest::newRow("through a link") << "out"
                                    << "usr/bin/up/../secret";
}

void TestPackagingAppImage::hostileLinks()
{
    QFETCH(QString, link);
    QFETCH(QString, target);
    const Bench bench;
    bench.make("cd AppDir && ln -s ../.. usr/bin/up && ln -s '" + target.toStdString() + "' '" +
               link.toStdString() + "'");
    bench.pack();
    compareSentence(bench.start(), 127, "the link " + link.toStdString() + " leads out of the image");
    QCOMPARE(bench.cached(), std::vector<std::string>{});
    bench.make("rm 'AppDir/" + link.toStdString() + "'");
    bench.pack();
    QCOMPARE(bench.start().status.code, 7);
}

void TestPackagingAppImage::hostileKinds()
{
    const Bench bench;
    for (const char* node :
         {"disk c 666 0 0 1 3", "disk b 666 0 0 8 0", "disk i 666 0 0 f", "disk i 666 0 0 s"}) {
        bench.pack(std::string("-p '") + node + "'");
        compareSentence(bench.start(), 127, "disk in the image is neither a file nor a folder nor a link");
    }
    bench.make("chmod u+s,g+s AppDir/usr/bin/tool");
    bench.pack();
    QCOMPARE(bench.start().status.code, 7);
    QCOMPARE(bench.make("stat -c %a '" + (bench.unpacked() / "usr/bin/tool").string() + "'"),
             std::string("755\n"));
    // Nested deeper than anything honest.
    bench.make("mkdir -p AppDir/$(seq -s / 80)");
    bench.pack();
    compareSentence(bench.start(), 127, "nested more than 64 deep");
}

void TestPackagingAppImage::diskThatFillsUp()
{
    const Bench bench;
    bench.pack();
    // A limit on the size of files stops a write in its middle as a full disk does.
    const RunOutput output = bench.start({}, "trap '' XFSZ; ulimit -f 512;");
    compareSentence(output, 127, "usr/numbers: cannot write: File too large");
    QCOMPARE(bench.cached(), std::vector<std::string>{});
}

void TestPackagingAppImage::diskWithoutRoom()
{
    const Bench bench;
    bench.pack();
    if (!shell(bench.folder(), "unshare -rm mount -t tmpfs none /mnt").status.ok())
        QSKIP("This system does not let a test mount a small disk of its own.");
    bench.make("mkdir cache");
    const RunOutput output =
        shell(bench.folder(),
              "unshare -rm sh -c 'mount -t tmpfs -o size=1M none cache && XDG_CACHE_HOME=\"$PWD/cache\" "
              "./test.AppImage; code=$?; ls cache/sparserl/appimage; exit $code'");
    QVERIFY2(
        output.error.find("the program needs 1.9 MiB on this disk, which has ") != std::string::npos &&
            output.error.find("Free some space there, or point XDG_CACHE_HOME at a folder of another disk") !=
                std::string::npos,
        output.error.c_str());
    QCOMPARE(output.status.code, 127);
    QCOMPARE(output.output, std::string("lock\n"));
}

void TestPackagingAppImage::foldersThatCannotBeUsed()
{
    const Bench bench;
    bench.pack();
    const auto with = [&](const std::string& environment) {
        return shell(bench.folder(), "env " + environment + " ./test.AppImage");
    };
    compareSentence(with("XDG_CACHE_HOME=/proc/none"), 127,
                    "Point XDG_CACHE_HOME at a folder that you may write to");
    compareSentence(with("XDG_CACHE_HOME=\"$PWD/test.AppImage\""), 127,
                    "Point XDG_CACHE_HOME at a folder that you may write to");
    compareSentence(with("-u HOME -u XDG_CACHE_HOME"), 127, "Set XDG_CACHE_HOME");
    // Where others may write, they could put a program.
    bench.make("mkdir -p cache/sparserl/appimage && chmod 777 cache/sparserl/appimage");
    compareSentence(bench.start(), 127, "others may write into this folder");
    bench.make("chmod 700 cache/sparserl/appimage");
    QCOMPARE(bench.start().status.code, 7);
    // AppRun that cannot be started.
    bench.make("rm AppDir/AppRun && mkdir AppDir/AppRun");
    bench.pack();
    compareSentence(bench.start(), 127, "cannot start the program");
}

void TestPackagingAppImage::oldVersionsGo()
{
    const Bench bench;
    bench.pack();
    const auto name = [](char digit) { return std::string(64, digit); };
    bench.make("mkdir -p cache/sparserl/appimage && cd cache/sparserl/appimage && for d in a b c d e; do "
               "n=$(printf \"$d%.0s\" $(seq 64)); mkdir $n; done");
    const fs::path cache = bench.cache();
    // e, the oldest, is running; c and d were used last.
    bench.make("cp /bin/sleep '" + (cache / name('e') / "tool").string() + "'");
    SpawnOptions options;
    options.argv = {(cache / name('e') / "tool").string(), "100"};
    auto running = spawn(options);
    QVERIFY(running);
    bench.make("cd '" + cache.string() + "' && touch -d '2020-01-01' " + name('e') +
               " && touch -d '2020-01-02' " + name('a') + " && touch -d '2020-01-03' " + name('b') +
               " && touch -d '2020-01-04' " + name('c') + " && touch -d '2020-01-05' " + name('d'));
    QCOMPARE(bench.start().status.code, 7);
    std::vector<std::string> left{bench.unpacked().filename(), name('c'), name('d'), name('e')};
    std::sort(left.begin(), left.end());
    QCOMPARE(bench.cached(), left);
    running->killGroup(SIGKILL);
    // A version that is started now and then is not an old one.
    bench.make("touch -d '2019-01-01' '" + bench.unpacked().string() + "'");
    QCOMPARE(bench.start().status.code, 7);
    QVERIFY(bench.make("find '" + bench.unpacked().string() + "' -maxdepth 0 -mmin -10") != "");
}

void TestPackagingAppImage::twoStartsAtOnce()
{
    const Bench bench;
    bench.make("seq 1000000 >AppDir/usr/more");
    bench.pack();
    const RunOutput output =
        shell(bench.folder(),
              "export XDG_CACHE_HOME=\"$PWD/cache\"; for i in 1 2 3 4; do ./test.AppImage >out$i 2>&1 "
              "& done; wait; cat out*");
    QCOMPARE(QByteArray::fromStdString(output.output).count("started in "), 4);
    QCOMPARE(QByteArray::fromStdString(output.output).count("\n"), 16);
    QCOMPARE(bench.make("diff -r --no-dereference AppDir '" + bench.unpacked().string() + "'"),
             std::string());
    QCOMPARE(bench.cached(), std::vector<std::string>{bench.unpacked().filename()});
}

void TestPackagingAppImage::extracts()
{
    const Bench bench;
    bench.pack();
    const RunOutput output = bench.start("--appimage-extract");
    QCOMPARE(output.status.code, 0);
    QCOMPARE(output.output, fs::canonical(bench.folder()).string() + "/squashfs-root\n");
    QCOMPARE(bench.make("diff -r --no-dereference AppDir squashfs-root"), std::string());
    QCOMPARE(bench.cached(), std::vector<std::string>{});
    compareSentence(bench.start("--appimage-extract"), 127, "Remove it, or unpack in another folder");
}

void TestPackagingAppImage::ownOptions()
{
    const Bench bench;
    bench.pack();
    QVERIFY(bench.start("--appimage-help").output.find("--appimage-extract") != std::string::npos);
    QVERIFY(bench.start("--appimage-version").output.find(bench.unpacked().filename()) != std::string::npos);
    QCOMPARE(bench.start("--appimage-signature").status.code, 0);
    compareSentence(bench.start("--appimage-mount"), 2, "--appimage-mount is not known here");
    QVERIFY(!fs::exists(bench.cache()));
    // Not the first argument: it is the program's.
    QVERIFY(bench.start("x --appimage-help").output.starts_with("started x --appimage-help in"));
}

namespace {

/// An AppDir as packaging/appimage leaves it, with programs that say what they are.
void makeAppDir(const Bench& bench, const std::string& glibc)
{
    bench.make("rm -rf AppDir && mkdir -p AppDir/usr/bin AppDir/usr/lib/sparserl/spare && cp '" + source +
               "/packaging/linux/AppRun' AppDir && cd AppDir && echo " + glibc +
               " >usr/lib/sparserl/glibc && for p in sparserl sparserl-runner sparserl-workbench; do "
               "printf '#!/bin/sh\\necho %s \"$@\"\\necho \"${LD_LIBRARY_PATH-none}\"\\n' $p >usr/bin/$p; "
               "chmod 755 usr/bin/$p; done");
    bench.pack();
}

} // namespace

void TestPackagingAppImage::choosesProgram()
{
    const Bench bench;
    makeAppDir(bench, "2.17");
    QCOMPARE(bench.start("a b").output, std::string("sparserl-workbench a b\nnone\n"));
    QCOMPARE(bench.start().output, std::string("sparserl-workbench\nnone\n"));
    QCOMPARE(bench.start("sparserl judge 'x y'").output, std::string("sparserl judge x y\nnone\n"));
    QCOMPARE(bench.start("sparserl-runner").output, std::string("sparserl-runner\nnone\n"));
    QCOMPARE(bench.start("./sparserl").output, std::string("sparserl-workbench ./sparserl\nnone\n"));
    const std::string line =
        "ln -s test.AppImage sparserl && XDG_CACHE_HOME=\"$PWD/cache\" ./sparserl sparserl x";
    QCOMPARE(shell(bench.folder(), line).output, std::string("sparserl sparserl x\nnone\n"));
}

void TestPackagingAppImage::sparesLibrariesOfTheMachine()
{
    const Bench bench;
    makeAppDir(bench, "2.17");
    bench.make("mkdir -p AppDir/usr/lib/sparserl/spare/libstdc++.so.6 "
               "AppDir/usr/lib/sparserl/spare/libnowhere.so.9");
    bench.pack();
    const std::string spare = bench.unpacked().string() + "/usr/lib/sparserl/spare/libnowhere.so.9";
    QCOMPARE(bench.start({}, "env -u LD_LIBRARY_PATH").output, "sparserl-workbench\n" + spare + "\n");
    QCOMPARE(bench.start({}, "LD_LIBRARY_PATH=/mine").output, "sparserl-workbench\n/mine:" + spare + "\n");
}

void TestPackagingAppImage::oldGlibcIsASentence()
{
    const Bench bench;
    makeAppDir(bench, "99.1");
    compareSentence(bench.start(), 127, "needs glibc 99.1 or newer");
    makeAppDir(bench, "2.9"); // Numbers, not text: 2.36 is newer than 2.9.
    QCOMPARE(bench.start().status.code, 0);
}

QTEST_GUILESS_MAIN(TestPackagingAppImage)
#include "tst_appimage.moc"
