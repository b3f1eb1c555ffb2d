// SPDX-License-Identifier: Apache-2.0
// Project files and the matrix library: import, cache, refusal of what is broken, nothing half-done.
#include "fixture.h"

#include "base/beneath.h"
#include "base/json.h"
#include "base/printable.h"
#include "base/seal.h"
#include "machine/capabilities.h"
#include "matrix/csr.h"
#include "matrix/matrix_file.h"
#include "project/files/unlisted.h"
#include "project/index/index.h"
#include "project/queries/queries.h"
#include "tests/base/hostile_names.h"

#include <QScopeGuard>
#include <QTest>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

using namespace fixture;
namespace fs = std::filesystem;

class TestProject : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<TempDir>(must(TempDir::create()));
        m_project = m_dir->path() / "my project";
    }
    void cleanup() { m_dir.reset(); }

    void createOpenFind()
    {
        const auto project = must(Project::create(m_project, "Title \"x\""));
        QCOMPARE(project.title(), std::string("Title \"x\""));
        QVERIFY(!Project::create(m_project));
        QCOMPARE(must(Project::open(m_project / "project.toml")).path(), m_project);
        fs::create_directories(m_project / "runs/a/b");
        QCOMPARE(must(Project::find(m_project / "runs/a/b")).path(), m_project);
        const auto none = Project::open(m_dir->path());
        QVERIFY(!none);
        QVERIFY(none.error().sentence().find("project.toml") != std::string::npos);
        QVERIFY(!Project::find(m_dir->path()));
    }

    void brokenProjectFilesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<QByteArray>("says");
        const QByteArray head = "[project]\nformat = 1\n";
        QTest::newRow("not toml") << QByteArray("[project\n") << 1 << QByteArray();
        QTest::newRow("no head") << QByteArray("x = 1\n") << 0 << QByteArray("[project]");
        QTest::newRow("newer") << QByteArray("[project]\nformat = 2\n") << 2 << QByteArray("format 2");
        for (const char* odd : {"'2'", "'1'", "1.0", "1.9", "true", "0", "-5", "[1]", "2024-01-01"})
            QTest::newRow(odd) << QByteArray("[project]\nformat = ") + odd + "\n"
                               << 2 << QByteArray("must be a whole number from 1");
        QTest::newRow("no list") << QByteArray(head + "[matrix]\nname = \"a\"\n") << 3 << QByteArray("list");
        QTest::newRow("no name") << QByteArray(head + "[[matrix]]\nfile = \"a\"\n") << 3
                                 << QByteArray("name");
        QTest::newRow("no source") << QByteArray(head + "[[matrix]]\nname = \"a\"\n") << 3
                                   << QByteArray("generator");
        QTest::newRow("two sources")
            << QByteArray(head + "[[matrix]]\nname = \"a\"\nfile = \"a\"\ngenerator = \"b\"\n") << 3
            << QByteArray("generator");
        QTest::newRow("split") << QByteArray(head +
                                             "[[matrix]]\nname = \"a\"\nfile = \"a\"\nsplit = \"test\"\n")
                               << 3 << QByteArray("held-out");
        QTest::newRow("twice")
            << QByteArray(head +
                          "[[matrix]]\nname = \"a\"\nfile = \"a\"\n[[matrix]]\nname = \"a\"\nfile = \"b\"\n")
            << 6 << QByteArray("two matrices");
        QTest::newRow("number") << QByteArray(head + "[[matrix]]\nname = 3\nfile = \"a\"\n") << 4
                                << QByteArray("must be text");
        for (const char* odd : {"stencil2d(n=40)", " rmat (scale=4)", "banded(", "random(rows=nonsense)"})
            QTest::newRow(odd) << QByteArray(head + "[[matrix]]\nname = \"" + odd + "\"\nfile = \"a\"\n") << 3
                               << QByteArray("would take for a generator's text");
        QTest::newRow("other generator")
            << QByteArray(head + "[[matrix]]\nname = \"banded(n=8)\"\ngenerator = \"banded(n=9)\"\n") << 3
            << QByteArray("would take for a generator's text");
        for (const char* odd : {"/etc/passwd", "../a.mtx", "./a", "~/a.mtx", "a/../../b"})
            QTest::newRow(odd) << QByteArray(head + "[[matrix]]\nname = \"" + odd + "\"\nfile = \"a\"\n") << 3
                               << QByteArray("would take for a path");
        QTest::newRow("long name") << QByteArray(head + "[[matrix]]\nname = \"" + QByteArray(100'000, 'x') +
                                                 "\"\nfile = \"a\"\n")
                                   << 3 << QByteArray("a name of 100000 bytes");
    }

    void brokenProjectFilesAreRefused()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, line);
        QFETCH(QByteArray, says);
        mustDo(writeFileAtomic(m_project / "project.toml", text.toStdString()));
        const auto project = Project::open(m_project);
        QVERIFY(!project);
        QCOMPARE(project.error().line, line);
        QCOMPARE(project.error().file, (m_project / "project.toml").string());
        QVERIFY2(project.error().sentence().find(says.toStdString()) != std::string::npos,
                 project.error().sentence().c_str());
        QCOMPARE(must(readFile(m_project / "project.toml")), text.toStdString());
    }

    /// However a file is called: it is imported under a name of one printable line, its copy is found again
    /// without the cache, and the project stays what it was.
    void filesOfAnyNameAreImported()
    {
        auto project = must(Project::create(m_project));
        const auto names = test::hostileNames();
        std::map<std::string, std::string> digests;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const fs::path file = m_dir->path() / "theirs" / names[i];
            fs::create_directories(file.parent_path());
            QVERIFY(test::writePlainly(file, test::numberedMatrix(i)));
            const auto entry = project.addMatrix(file);
            QVERIFY2(entry.has_value(), entry ? "" : entry.error().sentence().c_str());
            QCOMPARE(printableLine(entry->name), entry->name);
            digests[entry->name] = entry->digest;
            fs::remove(file);
        }
        QCOMPARE(digests.size(), names.size());
        fs::remove_all(m_project / "cache");
        QCOMPARE(outermostProject(m_project / "matrices/x"), m_project);
        auto again = must(Project::open(m_project));
        QCOMPARE(again.matrices().size(), names.size());
        for (const MatrixEntry& entry : std::vector<MatrixEntry>(again.matrices())) { // load() changes them
            const auto loaded = again.load(entry);
            QVERIFY2(loaded.has_value(), loaded ? "" : loaded.error().sentence().c_str());
            QCOMPARE(loaded->digest, digests[entry.name]);
        }
        must(must(Indexer::open(m_project)).update());
        QVERIFY(!fs::exists(m_dir->path() / "pwned"));
    }

    /// Several programs that change one project at once wait for each other, and nothing is lost.
    void manyChangeOneProject()
    {
        must(Project::create(m_project));
        constexpr std::size_t writers = 8, each = 4;
        for (std::size_t i = 0; i < writers * each; ++i)
            QVERIFY(test::writePlainly(m_dir->path() / fmt::format("m{}.mtx", i), test::numberedMatrix(i)));
        std::array<std::string, writers> faults;
        std::vector<std::thread> threads;
        for (std::size_t writer = 0; writer < writers; ++writer)
            threads.emplace_back([&, writer] {
                auto project = must(Project::open(m_project));
                for (std::size_t i = writer * each; i < (writer + 1) * each; ++i)
                    if (const auto added = project.addMatrix(m_dir->path() / fmt::format("m{}.mtx", i));
                        !added)
                        faults[writer] = added.error().sentence();
            });
        for (std::thread& thread : threads)
            thread.join();
        for (const std::string& fault : faults)
            QVERIFY2(fault.empty(), fault.c_str());
        QCOMPARE(must(Project::open(m_project)).matrices().size(), writers * each);
    }

    /// What a project may call its matrices, and what becomes of names that it may not.
    void namesMeanOneThing()
    {
        mustDo(writeFileAtomic(
            m_project / "project.toml",
            "[project]\nformat = 1\n[[matrix]]\nname = 'HB/bcsstk01'\ngenerator = 'banded(n=8)'\n"
            "[[matrix]]\nname = 'banded( n = 9 )'\ngenerator = 'banded(n=9)'\n[[matrix]]\nname = 'rmat'\n"
            "generator = 'banded(n=10)'\n[[matrix]]\nname = 'f(x)'\ngenerator = 'banded(n=11)'\n"));
        auto project = must(Project::open(m_project));
        QCOMPARE(project.matrices().size(), std::size_t(4));
        const fs::path file = m_dir->path() / "stencil2d(n=40).mtx";
        QVERIFY(test::writePlainly(file, test::numberedMatrix(3)));
        QCOMPARE(must(project.addMatrix(file)).name, std::string("file-stencil2d(n=40)"));
        AddMatrixOptions options;
        for (const std::string& name : {std::string("../../x"), std::string("/etc/passwd"),
                                        std::string("stencil2d(n=41)"), std::string(100'000, 'n')}) {
            options.name = name;
            const auto made = project.addGenerated("stencil2d(n=5)", options);
            QVERIFY2(!made && made.error().remedy == "Choose another name", name.substr(0, 99).c_str());
        }
        options.name = "a\nb\u202ec";
        const auto made = must(project.addGenerated("stencil2d(n=6)", options));
        QCOMPARE(made.name, printableLine(options.name));
        QCOMPARE(must(project.addGenerated("stencil2d(n=7)", options)).name, made.name + "-2");
        QCOMPARE(must(Project::open(m_project)).matrices().size(), std::size_t(7));
    }

    void filesThatCannotBeReferredTo()
    {
        auto project = must(Project::create(m_project));
        AddMatrixOptions options;
        options.copy = false;
        const fs::path bad = m_dir->path() / "bad\xff.mtx", good = m_dir->path() / "new\nline.mtx";
        QVERIFY(test::writePlainly(bad, test::numberedMatrix(1)));
        QVERIFY(test::writePlainly(good, test::numberedMatrix(2)));
        const auto refused = project.addMatrix(bad, options);
        QVERIFY(!refused && refused.error().what.find("UTF-8") != std::string::npos);
        QVERIFY(project.matrices().empty());
        const auto entry = must(project.addMatrix(good, options));
        fs::remove_all(m_project / "cache");
        auto again = must(Project::open(m_project));
        QCOMPARE(must(again.load(MatrixEntry(again.matrices().front()))).digest, entry.digest);
    }

    /// What is no file, and files that cannot be read: a sentence, and the project is as before.
    void whatIsNoFileIsRefused()
    {
        auto project = must(Project::create(m_project));
        const std::string before = must(readFile(m_project / "project.toml"));
        const fs::path folder = m_dir->path() / "x.smtx", pipe = m_dir->path() / "pipe.mtx",
                       socket = m_dir->path() / "socket.mtx", loop = m_dir->path() / "loop.mtx",
                       closed = m_dir->path() / "closed.mtx";
        fs::create_directories(folder);
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        fs::create_symlink(loop, loop);
        const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        socket.string().copy(address.sun_path, sizeof address.sun_path - 1);
        QCOMPARE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        QVERIFY(test::writePlainly(closed, test::numberedMatrix(1)));
        fs::permissions(closed, fs::perms::none);
        for (const fs::path& path :
             {folder, pipe, socket, loop, fs::path("/dev/null"), fs::path("/dev/zero"),
              fs::path("/proc/self/mem"), m_dir->path() / "none.mtx", fs::path(), closed}) {
            if (path == closed && ::geteuid() == 0)
                continue; // root reads it all the same
            const auto entry = project.addMatrix(path);
            QVERIFY2(!entry.has_value(), path.c_str());
            QVERIFY2(entry.error().sentence().size() > path.string().size() + 5, path.c_str());
        }
        ::close(listener);
        QCOMPARE(must(readFile(m_project / "project.toml")), before);
        QVERIFY(fs::is_empty(m_project / "matrices"));
        // A file in a folder of that name is what its own name says.
        mustDo(writeFileAtomic(folder / "edges.txt", "2 2 1\n0 1 1\n0\n"));
        const auto edges = project.addMatrix(folder / "edges.txt");
        QVERIFY(!edges && edges.error().what.find("not Matrix Market") != std::string::npos);
    }

    void importCopiesCachesAndKeepsComments()
    {
        auto project = must(Project::create(m_project));
        const fs::path toml = m_project / "project.toml";
        mustDo(writeFileAtomic(toml, must(readFile(toml)) + "# a comment of mine\n"));
        const fs::path source = writeMatrix("tri.mtx", "3 3 2\n1 1 2.5\n3 2 -1\n");
        AddMatrixOptions options;
        options.split = "held-out";
        options.matrixClass = "toy \"quoted\"";
        options.attribution = "nobody, CC0";
        const auto entry = must(project.addMatrix(source, options));
        QCOMPARE(entry.name, std::string("tri"));
        QVERIFY(must(readFile(toml)).find("# a comment of mine") != std::string::npos);
        fs::remove(source); // it was copied
        auto again = must(Project::open(m_project));
        QCOMPARE(again.matrices().size(), std::size_t{1});
        const MatrixEntry* known = again.matrix("tri");
        QVERIFY(known && known->split == "held-out" && known->matrixClass == options.matrixClass);
        QVERIFY(known->attribution == options.attribution && known->digest == entry.digest);
        const auto loaded = must(again.load(*known));
        QCOMPARE(loaded.matrix->nnz(), 2);
        QCOMPARE(loaded.matrix->val[0], 2.5f);
        QCOMPARE(digest(*loaded.matrix), entry.digest);
        fs::remove_all(m_project / "cache"); // rebuilt from the copy
        QCOMPARE(must(again.loadByDigest(entry.digest))->nnz(), 2);
        QVERIFY(again.featuresJson(entry.digest).find("\"nnz\":2") != std::string::npos);
        // The index lists it with its size.
        must(must(Indexer::open(m_project)).update());
        const auto rows = must(must(ProjectReader::open(m_project)).matrices());
        QCOMPARE(rows.size(), std::size_t{1});
        QVERIFY(rows[0].rows == 3 && rows[0].cols == 3 && rows[0].nnz == 2 && rows[0].digest == entry.digest);
        QVERIFY(rows[0].thumbnail.filename().string() == entry.digest + ".png");
    }

    /// What project.toml names is opened whenever the project is: only a file is, wherever it lies.
    void sourcesAreFiles()
    {
        auto project = must(Project::create(m_project));
        const fs::path pipe = m_dir->path() / "pipe", toml = m_project / "project.toml";
        QVERIFY(::mkfifo(pipe.c_str(), 0600) == 0);
        std::string list = must(readFile(toml));
        for (const std::string& file : {pipe.string(), std::string("/dev/zero"), std::string("matrices")})
            list += fmt::format("[[matrix]]\nname = 'the {}'\nfile = '{}'\n", file, file);
        mustDo(writeFileAtomic(toml, list));
        project = must(Project::open(m_project));
        for (const MatrixEntry& entry : project.matrices()) {
            const auto read = project.load(MatrixEntry(entry));
            QVERIFY(!read && read.error().sentence().find(", not a file") != std::string::npos);
        }
        must(must(Indexer::open(m_project)).update()); // it ends
    }

    /// An import that is killed before it lists its file leaves the file: it is named, and the next import of
    /// the same takes it up.
    void whatAKilledImportLeft()
    {
        const auto dir = must(TempDir::create());
        auto project = must(Project::create(dir.path() / "p"));
        const fs::path folder = project.path() / "matrices", first = dir.path() / "a.mtx",
                       other = dir.path() / "b/a.mtx";
        const std::string text = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1.5\n";
        mustDo(writeFileAtomic(first, text));
        mustDo(writeFileAtomic(other, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 2.5\n"));
        mustDo(writeFileAtomic(folder / "a.mtx", text)); // all that the killed one got done
        mustDo(writeFileAtomic(folder / "README.md", "text"));
        mustDo(writeFileAtomic(folder / ".sparserl.a.mtx.tmp-1-2", "half"));
        QCOMPARE(unlistedFiles(project.path(), project.matrices()), std::vector<fs::path>{folder / "a.mtx"});
        // Another matrix of the same name leaves it alone.
        QCOMPARE(must(project.addMatrix(other)).file, std::string("matrices/2-a.mtx"));
        QCOMPARE(must(project.addMatrix(first)).file, std::string("matrices/a.mtx"));
        QCOMPARE(must(readFile(folder / "a.mtx")), text);
        QVERIFY(!fs::exists(folder / "3-a.mtx"));
        QVERIFY(unlistedFiles(project.path(), project.matrices()).empty());
        // Off the list, and again: no second copy. What is listed is nobody else's.
        must(project.removeMatrices({"a-2"}));
        QCOMPARE(unlistedFiles(project.path(), project.matrices()).size(), std::size_t(1));
        QCOMPARE(must(project.addMatrix(folder / "a.mtx")).file, std::string("matrices/a.mtx"));
        QVERIFY(!project.addMatrix(first));
        QVERIFY(!fs::exists(folder / "3-a.mtx"));
    }

    void failedImportChangesNothing()
    {
        auto project = must(Project::create(m_project));
        const std::string before = must(readFile(m_project / "project.toml"));
        const auto broken = project.addMatrix(writeMatrix("bad.mtx", "3 3 2\n1 1 2.5\n9 2 -1\n"));
        QVERIFY(!broken);
        QVERIFY(broken.error().line > 0);
        QVERIFY(!project.addMatrix(m_dir->path() / "missing.mtx"));
        AddMatrixOptions options;
        options.split = "test";
        QVERIFY(!project.addMatrix(writeMatrix("good.mtx", "1 1 1\n1 1 1\n"), options));
        QVERIFY(!project.addGenerated("nonsense(n=3)"));
        QCOMPARE(must(readFile(m_project / "project.toml")), before);
        QVERIFY(fs::is_empty(m_project / "matrices"));
        QVERIFY(project.matrices().empty());
    }

    void sameContentIsRefusedSameNameIsNumbered()
    {
        auto project = must(Project::create(m_project));
        must(project.addMatrix(writeMatrix("a.mtx", "2 2 1\n1 1 1\n")));
        const auto twice = project.addMatrix(writeMatrix("b.mtx", "2 2 1\n1 1 1\n"));
        QVERIFY(!twice);
        QVERIFY(twice.error().what.find("\"a\"") != std::string::npos);
        const auto other = must(project.addMatrix(writeMatrix("a.mtx", "2 2 1\n2 2 1\n")));
        QCOMPARE(other.name, std::string("a-2"));
        QVERIFY(fs::exists(m_project / "matrices/a.mtx") && fs::exists(m_project / "matrices/2-a.mtx"));
        // Two Project objects at once: the second sees what the first added.
        auto second = must(Project::open(m_project));
        must(project.addMatrix(writeMatrix("c.mtx", "2 2 1\n1 2 1\n")));
        must(second.addMatrix(writeMatrix("d.mtx", "2 2 1\n2 1 1\n")));
        QCOMPARE(must(Project::open(m_project)).matrices().size(), std::size_t{4});
    }

    void changedFileIsNoticed()
    {
        auto project = must(Project::create(m_project));
        AddMatrixOptions options;
        options.copy = false;
        const fs::path source = writeMatrix("ref.mtx", "2 2 1\n1 1 1\n");
        const auto entry = must(project.addMatrix(source, options));
        QCOMPARE(entry.file, source.string());
        writeMatrix("ref.mtx", "2 2 1\n1 1 7\n");
        fs::remove_all(m_project / "cache");
        const auto loaded = project.load(entry);
        QVERIFY(!loaded);
        QVERIFY(loaded.error().what.find("ref") != std::string::npos);
    }

    /// A matrix is what its source holds, whatever project.toml and the cache say: nothing is shown or judged
    /// under the name of another.
    void digestsOfOtherMatrices()
    {
        auto project = must(Project::create(m_project));
        must(project.addMatrix(writeMatrix("a.mtx", "3 3 2\n1 1 2.5\n3 2 -1\n")));
        must(project.addMatrix(writeMatrix("b.mtx", "3 3 1\n2 2 7\n")));
        must(project.addGenerated("stencil2d(n=4,points=5)"));
        const fs::path toml = m_project / "project.toml", sources = m_project / "cache/sources.json";
        const std::string text = must(readFile(toml)), stamps = must(readFile(sources));
        const auto entries = project.matrices();
        const auto swapped = [&](std::size_t i, std::size_t k, std::string in) {
            const std::string a = entries[i].digest, b = entries[k].digest, mark(64, 'x');
            for (const auto& [from, to] : {std::pair(a, mark), std::pair(b, a), std::pair(mark, b)})
                for (auto at = in.find(from); at != std::string::npos; at = in.find(from))
                    in.replace(at, from.size(), to);
            return in;
        };
        for (const auto& [i, k] : {std::pair(0, 1), std::pair(1, 2)}) {
            const auto first = static_cast<std::size_t>(i), second = static_cast<std::size_t>(k);
            mustDo(writeFileAtomic(toml, swapped(first, second, text)));
            for (const bool stamped : {true, false}) { // what was found here, or nothing
                if (stamped)
                    mustDo(writeFileAtomic(sources, stamps));
                else
                    fs::remove(sources);
                auto opened = must(Project::open(m_project));
                for (const std::size_t one : {first, second}) {
                    const auto loaded = opened.load(MatrixEntry(opened.matrices()[one]));
                    QVERIFY(!loaded);
                    QVERIFY2(loaded.error().what.find("is not what project.toml says") != std::string::npos,
                             loaded.error().what.c_str());
                }
            }
        }
        // As it was, it loads: from the source once, then from the cache.
        mustDo(writeFileAtomic(toml, text));
        fs::remove(sources);
        auto opened = must(Project::open(m_project));
        QCOMPARE(must(opened.loadSplit("")).size(), std::size_t(3));
        QVERIFY(must(readFile(sources)).find(entries[0].digest) != std::string::npos);
        // Where the source is not, the cache stands for it.
        fs::remove(m_project / entries[0].file);
        QCOMPARE(must(opened.load(entries[0])).digest, entries[0].digest);
    }

    /// What somebody lays into the cache of a trusted project later: what follows from other files is found
    /// again from these, and seals of other matrices, kinds and users are none.
    void whatArrivesLaterIsNotBelieved()
    {
        auto project = must(Project::create(m_project));
        const fs::path text = writeMatrix("a.mtx", "3 3 2\n1 1 0.1\n3 2 -1\n"), cache = m_project / "cache";
        const MatrixEntry entry = must(project.addMatrix(text));
        const auto other = must(project.addMatrix(writeMatrix("b.mtx", "3 3 3\n1 1 1\n2 2 7\n3 3 1\n")));
        const auto truth = must(project.load(entry, {}, {}, true));
        const std::string values = doublesDigest(*truth.matrix);
        QVERIFY(!values.empty());
        const fs::path features = cache / (entry.digest + ".features.json"), sources = cache / "sources.json",
                       doubles = cache / (entry.digest + ".doubles"), csr = cache / (entry.digest + ".csr");
        const auto bytes = [](const fs::path& file) { return must(readFile(file)); };
        const std::string own = bytes(features), ownSources = bytes(sources), ownDoubles = bytes(doubles);
        const auto forged = [&](const fs::path& file, const std::function<void(nlohmann::json&)>& change) {
            auto json = must(readJson(file));
            change(json);
            mustDo(writeJson(file, json));
        };
        const auto isTrue = [&] {
            auto opened = must(Project::open(m_project));
            const auto loaded = must(opened.load(entry, {}, {}, true));
            if (loaded.digest != entry.digest || doublesDigest(*loaded.matrix) != values)
                return false;
            mustDo(opened.completeFeatures(entry.digest));
            return bytes(features) == own &&
                   opened.featuresJson(entry.digest).find("\"nnz\":2,") != std::string::npos;
        };
        QVERIFY(isTrue());
        const auto lie = [](nlohmann::json& json) { json["nnz"] = 99; };
        forged(features, lie);
        QCOMPARE(project.featuresJson(entry.digest), std::string());
        QVERIFY(isTrue());
        forged(features, [&](nlohmann::json& json) {
            lie(json);
            json.erase("seal");
        });
        QVERIFY(isTrue());
        mustDo(
            writeFileAtomic(features, bytes(cache / (other.digest + ".features.json")))); // of another matrix
        QVERIFY(isTrue());
        mustDo(writeFileAtomic(features, ownSources)); // of another kind
        QVERIFY(isTrue());
        const QByteArray settings = qgetenv("XDG_CONFIG_HOME"); // of another user
        qputenv("XDG_CONFIG_HOME", QByteArray::fromStdString((m_dir->path() / "other").string()));
        mustDo(writeSealedJson(features, "features " + entry.digest, {{"nnz", 99}}));
        settings.isNull() ? qunsetenv("XDG_CONFIG_HOME") : qputenv("XDG_CONFIG_HOME", settings);
        QVERIFY(isTrue());
        // Doubles that round to the same floats, and what the sources are said to hold.
        Csr lying = *truth.matrix;
        lying.val64[0] += 1e-12;
        QVERIFY(doublesDigest(lying) != values && digest(lying) == entry.digest);
        mustDo(writeDoublesFile(doubles, lying.val64, entry.digest));
        QVERIFY(isTrue());
        QCOMPARE(bytes(doubles), ownDoubles);
        mustDo(writeDoublesFile(doubles, lying.val64, entry.digest));
        forged(sources, [&](nlohmann::json& json) { json[entry.name]["doubles"] = doublesDigest(lying); });
        QVERIFY(isTrue());
        QCOMPARE(bytes(doubles), ownDoubles);
        // A cache and a record of it that hold another matrix, also where the list has no digest.
        mustDo(writeFileAtomic(m_project / "project.toml", "[project]\nformat = 1\n[[matrix]]\nname = 'a'\n"
                                                           "file = 'matrices/a.mtx'\n"));
        forged(sources, [&](nlohmann::json& json) { json["a"]["digest"] = other.digest; });
        QCOMPARE(must(Project::open(m_project)).matrices().at(0).digest, std::string());
        mustDo(writeFileAtomic(csr, bytes(cache / (other.digest + ".csr"))));
        QVERIFY(isTrue());
        auto opened = must(Project::open(m_project));
        QCOMPARE(must(opened.load(MatrixEntry(opened.matrices().at(0)))).digest, entry.digest);
        // What an index lists is that, too.
        forged(features, lie);
        must(must(Indexer::open(m_project)).update());
        must(must(Indexer::open(m_project)).update());
        QCOMPARE(must(must(ProjectReader::open(m_project)).matrices()).at(0).nnz, std::int64_t{2});
    }

    /// Where no key can be kept, nothing is believed and everything works.
    void withoutAKeyAllIsFoundAgain()
    {
        const QByteArray settings = qgetenv("XDG_CONFIG_HOME"), trust = qgetenv("SPARSERL_TRUST");
        mustDo(writeFileAtomic(m_dir->path() / "file", ""));
        qputenv("XDG_CONFIG_HOME", QByteArray::fromStdString((m_dir->path() / "file").string()));
        qputenv("SPARSERL_TRUST", "all");
        const auto restore = qScopeGuard([&] {
            settings.isNull() ? qunsetenv("XDG_CONFIG_HOME") : qputenv("XDG_CONFIG_HOME", settings);
            trust.isNull() ? qunsetenv("SPARSERL_TRUST") : qputenv("SPARSERL_TRUST", trust);
        });
        auto project = must(Project::create(m_project));
        const auto entry = must(project.addGenerated("stencil2d(n=4)"));
        QCOMPARE(must(must(Project::open(m_project)).load(entry)).digest, entry.digest);
        QCOMPARE(project.featuresJson(entry.digest), std::string());
    }

    void generatedMatricesNeedNoFile()
    {
        auto project = must(Project::create(m_project));
        AddMatrixOptions options;
        options.name = "grid";
        const auto entry = must(project.addGenerated("stencil2d(n=8,points=5)", options));
        auto again = must(Project::open(m_project));
        const auto loaded = must(again.loadSplit("train"));
        QCOMPARE(loaded.size(), std::size_t{1});
        QCOMPARE(loaded[0].matrix->rows, 64);
        QCOMPARE(loaded[0].digest, entry.digest);
        QVERIFY(must(again.loadSplit("held-out")).empty());
        // Written by hand without a digest: known after the first reading, without changing project.toml.
        const std::string text =
            "[project]\n[[matrix]]\nname = \"hand\"\ngenerator = \"stencil2d(n=4,points=5)\"\n";
        mustDo(writeFileAtomic(m_project / "project.toml", text));
        auto hand = must(Project::open(m_project));
        QVERIFY(hand.matrix("hand")->digest.empty());
        const auto first = must(hand.loadSplit(""));
        QCOMPARE(hand.matrix("hand")->digest, first[0].digest);
        QCOMPARE(must(Project::open(m_project)).matrix("hand")->digest, first[0].digest);
        QCOMPARE(must(readFile(m_project / "project.toml")), text);
    }

    void indexingReadsWhatNobodyHasRead()
    {
        must(Project::create(m_project));
        mustDo(writeFileAtomic(m_project / "matrices/bad.mtx",
                               "%%MatrixMarket matrix coordinate real general\n3 3\n"));
        const std::string text =
            "[project]\n[[matrix]]\nname = \"grid\"\ngenerator = \"stencil2d(n=4,points=5)\"\n"
            "[[matrix]]\nname = \"bad\"\nfile = \"matrices/bad.mtx\"\n"
            "[[matrix]]\nname = \"gone\"\nfile = \"matrices/gone.mtx\"\n";
        mustDo(writeFileAtomic(m_project / "project.toml", text));
        auto indexer = must(Indexer::open(m_project));
        QVERIFY(must(indexer.update()).matrices);
        auto rows = must(must(ProjectReader::open(m_project)).matrices());
        QCOMPARE(rows.size(), std::size_t{3});
        QVERIFY(rows[0].name == "bad" && rows[0].nnz == 0);
        QVERIFY2(rows[0].problem.find("bad.mtx:2") != std::string::npos, rows[0].problem.c_str());
        QVERIFY2(rows[1].problem.find("gone.mtx") != std::string::npos, rows[1].problem.c_str());
        QVERIFY(rows[2].name == "grid" && rows[2].rows == 16 && rows[2].nnz == 64 && !rows[2].digest.empty());
        QVERIFY(rows[2].problem.empty());
        QVERIFY(!must(indexer.update()).anything()); // unreadable ones are not tried again and again
        mustDo(writeFileAtomic(m_project / "matrices/bad.mtx",
                               "%%MatrixMarket matrix coordinate real general\n3 3 1\n2 2 1\n"));
        QVERIFY(must(indexer.update()).matrices);
        rows = must(must(ProjectReader::open(m_project)).matrices());
        QVERIFY(rows[0].name == "bad" && rows[0].nnz == 1 && rows[0].problem.empty());
    }

    void removeAndSplit()
    {
        auto project = must(Project::create(m_project));
        must(project.addMatrix(writeMatrix("a.mtx", "2 2 1\n1 1 1\n")));
        must(project.addMatrix(writeMatrix("b.mtx", "2 2 1\n2 2 1\n")));
        mustDo(project.setSplits({{"a", "held-out"}}));
        QVERIFY(!project.setSplits({{"a", "other"}}));
        QVERIFY(!project.removeMatrices({"zzz"}));
        must(project.removeMatrices({"b"}));
        const auto again = must(Project::open(m_project));
        QCOMPARE(again.matrices().size(), std::size_t{1});
        QCOMPARE(again.matrices()[0].split, std::string("held-out"));
    }

    void severalAtOnceOrNone()
    {
        auto project = must(Project::create(m_project));
        for (const char* name : {"a", "b", "c"})
            must(project.addMatrix(
                writeMatrix(std::string(name) + ".mtx", fmt::format("2 2 1\n1 1 {}\n", int(name[0])))));
        QVERIFY(!project.setSplits({{"a", "held-out"}, {"zzz", "held-out"}}));
        QVERIFY(!project.setSplits({{"a", "held-out"}, {"b", "other"}}));
        QCOMPARE(must(Project::open(m_project)).matrix("a")->split, std::string("train"));
        mustDo(project.setSplits({{"a", "held-out"}, {"b", "held-out"}}));
        QCOMPARE(must(Project::open(m_project)).matrix("b")->split, std::string("held-out"));
        QVERIFY(!project.removeMatrices({"b", "zzz"}));
        QCOMPARE(must(Project::open(m_project)).matrices().size(), std::size_t{3});
        const auto removed = must(project.removeMatrices({"c", "a"}));
        QCOMPARE(removed.size(), std::size_t{2});
        QVERIFY(!project.putBack({removed[0], project.matrices()[0]})); // b is there
        mustDo(project.putBack(removed));
        const auto again = must(Project::open(m_project));
        QCOMPARE(again.matrices().size(), std::size_t{3});
        QCOMPARE(again.matrix("a")->split, std::string("held-out"));
        QVERIFY(!again.matrix("c")->digest.empty());
    }

    // Who gave no class gets one by structure as soon as the matrix has been read; a given one stays.
    void classesByStructure()
    {
        auto project = must(Project::create(m_project));
        AddMatrixOptions own;
        own.name = "mine";
        own.matrixClass = "fem";
        must(project.addGenerated("stencil2d(n=9)", own));
        must(project.addGenerated("diagonals(n=300,count=1)"));
        auto indexer = must(Indexer::open(m_project));
        must(indexer.update());
        const auto rows = must(must(ProjectReader::open(m_project)).matrices());
        QCOMPARE(rows.size(), std::size_t{2});
        QCOMPARE(rows[0].matrixClass, std::string("diagonal"));
        QCOMPARE(rows[1].matrixClass, std::string("fem"));
        mustDo(project.setSplits({{"mine", "held-out"}})); // rows are made again, features are kept
        must(indexer.update());
        const auto later = must(must(ProjectReader::open(m_project)).matrices());
        QCOMPARE(later[1].split, std::string("held-out"));
        QCOMPARE(later[1].featuresJson, rows[1].featuresJson);
        QVERIFY(!later[1].featuresJson.empty());
    }

    void runNumbersGoUp()
    {
        auto project = must(Project::create(m_project));
        QCOMPARE(project.newRunPath("sft").filename().string(), std::string("0001-sft"));
        must(RunDirectory::create(project.newRunPath("sft"), config("sft")));
        must(RunDirectory::create(project.runsPath() / "0041-rl", config("rl")));
        fs::create_directories(project.runsPath() / "notes");
        QCOMPARE(project.newRunPath("rl").filename().string(), std::string("0042-rl"));
        QCOMPARE(project.runDirectories().size(), std::size_t{2});
    }

    void capabilitiesAreSentences()
    {
        must(Project::create(m_project));
        const auto list = probeCapabilities({m_project, fs::path("/bin/sh")});
        std::set<std::string> keys;
        for (const Capability& c : list) {
            keys.insert(c.key);
            QVERIFY2(!c.sentence.empty() && c.sentence.back() == '.', c.key.c_str());
            QVERIFY2(c.level == Capability::Level::Ok || c.level == Capability::Level::Note ||
                         !c.remedy.empty(),
                     c.key.c_str());
        }
        QCOMPARE(indexCapability().key, std::string("sqlite"));
        QVERIFY(indexCapability().sentence.ends_with("keeps the index.") ||
                indexCapability().level == Capability::Level::Note);
        for (const char* key : {"driver", "gpu", "nvrtc", "nvjitlink", "libtorch", "display", "disk",
                                "memory", "runner", "sandbox"})
            QVERIFY2(keys.contains(key), key);
        for (const Capability& c : probeCapabilities({m_project / "gone", m_project / "gone"})) {
            if (c.key == "runner")
                QCOMPARE(c.level, Capability::Level::Missing);
            if (c.key == "disk")
                QCOMPARE(c.level, Capability::Level::Broken);
        }
    }

    void damagedCudaLibrariesAreNamed()
    {
        const fs::path cuda = m_dir->path() / "cuda";
        mustDo(writeFileAtomic(cuda / "libnvrtc.so.13", "not a library"));
        mustDo(writeFileAtomic(cuda / "libnvJitLink.so.13", "\x7f"
                                                            "ELF..."));
        qputenv("SPARSERL_CUDA_DIR", QByteArray::fromStdString(cuda.string()));
        for (int round = 0; round < 2; ++round) {
            for (const Capability& c : probeCapabilities({m_dir->path(), {}})) {
                if (c.key == "nvrtc") {
                    QCOMPARE(c.level, Capability::Level::Broken);
                    QVERIFY(c.sentence.find(round == 0 ? "is not a library" : "builtins") !=
                            std::string::npos);
                }
                if (c.key == "nvjitlink")
                    QCOMPARE(c.level, Capability::Level::Ok);
            }
            mustDo(writeFileAtomic(cuda / "libnvrtc.so.13", "\x7f"
                                                            "ELF, but alone"));
        }
        qunsetenv("SPARSERL_CUDA_DIR");
    }

private:
    fs::path writeMatrix(const std::string& name, const std::string& body)
    {
        const fs::path path = m_dir->path() / name;
        mustDo(writeFileAtomic(path, "%%MatrixMarket matrix coordinate real general\n" + body));
        return path;
    }

    std::unique_ptr<TempDir> m_dir;
    fs::path m_project;
};

QTEST_GUILESS_MAIN(TestProject)
#include "tst_project.moc"
