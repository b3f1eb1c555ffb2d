// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/case_plan.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/oracle.h"
#include "evaluation/cases/relatives.h"
#include "evaluation/cases/target_cases.h"
#include "evaluation/cases/target_context.h"
#include "evaluation/protocol/channel.h"
#include "evaluation/protocol/jobs.h"
#include "evaluation/protocol/shared_buffer.h"
#include "evaluation/protocol/shared_contents.h"
#include "evaluation/steps/record_builder.h"
#include "kernel/bind.h"
#include "kernel/plan.h"
#include "target/workload.h"
#include "verdict/record.h"
#include "whole_numbers.h"

#include <QTest>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <set>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace sparserl;

namespace {

/// 3 x 4: [1 0 2 0; 0 0 0 0; 0 -3 0 0.5]
Csr small()
{
    Csr m;
    m.rows = 3;
    m.cols = 4;
    m.rowPtr = {0, 2, 2, 4};
    m.col = {0, 2, 1, 3};
    m.val = {1, 2, -3, 0.5f};
    return m;
}

} // namespace

class PartsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void verdictNames();
    void recordRoundTrip();
    void oracleByHand();
    void poisonIsWrong();
    void linearity();
    void batteryShapesAreWhatTheySay();
    void batteriesHaveSizesOfAllKinds();
    void smallRelativeKeepsStructure();
    void channelMessages();
    void channelRefusesRubbish();
    void sharedMatrices();
    void sharedMatricesCannotBeChanged();
    void jobsRoundTrip();
    void caseFindings();
    void callsOfSeveralTensors();
    void contentsWithoutMatrix();
    void seedsDiffer();
    void stepsForEachSide();
    void wideValuesOnDemand();
    void floors();
    void messagesHavePlainNames();
};

void PartsTest::verdictNames()
{
    const QStringList names =
        QStringLiteral("plan-error stopped-early machine-error compile-error assemble-error rejected "
                       "launch-error out-of-bounds uninitialised race sync-error timeout "
                       "wrong-result format-error correct")
            .split(QLatin1Char(' '));
    for (int i = 0; i < names.size(); ++i) {
        const auto verdict = verdictFromName(names[i].toStdString());
        QVERIFY(verdict.has_value());
        QCOMPARE(static_cast<int>(*verdict), i);
        QCOMPARE(QString::fromStdString(std::string(nameOf(*verdict))), names[i]);
        QCOMPARE(isCompiled(*verdict), i >= 6);
    }
    QVERIFY(!verdictFromName("fine"));
}

void PartsTest::recordRoundTrip()
{
    VerdictRecord r;
    r.programHash = "abc";
    r.verdict = Verdict::WrongResult;
    r.flags = {VerdictFlag::Suspicious};
    r.message = "y[2] is \xff";
    r.line = 7;
    r.block = {{1, 2, 3}};
    r.boundShare = 0.25;
    r.wrong = WrongElement{2, 1, 0.1, std::numeric_limits<double>::quiet_NaN(), 1e-7};
    r.warm = Timing{1.5, 1.25, std::numeric_limits<double>::infinity(), 9};
    r.baselineMicroseconds = 3;
    r.defaultRoutineMicroseconds = 4;
    r.bestRoutineMicroseconds = 2.5;
    r.lines = {LineCounters{4, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
    r.seed = 0xffffffffffffffffULL;
    const auto back = verdictRecordFromJson(
        nlohmann::json::parse(toJson(r).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
    QVERIFY(back.has_value());
    QCOMPARE(back->verdict, r.verdict);
    QCOMPARE(back->line, 7);
    QVERIFY(back->block == r.block && !back->thread);
    QVERIFY(std::isnan(back->wrong->got));
    QCOMPARE(back->wrong->expected, 0.1);
    QCOMPARE(back->boundShare, 0.25);
    QVERIFY(std::isinf(back->warm->q75));
    QCOMPARE(back->speedup(), 2.0);
    QCOMPARE(back->defaultRoutineMicroseconds, 4.0);
    QCOMPARE(back->bestRoutineMicroseconds, 2.5);
    QCOMPARE(back->seed, r.seed);
    QCOMPARE(back->lines.size(), std::size_t(1));
    QCOMPARE(back->lines[0].divergentBranches, std::int64_t(9));
    QVERIFY(!verdictRecordFromJson(nlohmann::json::parse(R"({"verdict":"good"})")).has_value());
    QVERIFY(!verdictRecordFromJson(nlohmann::json::parse(R"({"verdict":"correct","line":"x"})")).has_value());
    QVERIFY(!verdictRecordFromJson(nlohmann::json::parse("[]")).has_value());
    QVERIFY(verdictRecordFromJson(nlohmann::json::parse(R"({"verdict":"correct"})")).has_value());
    r.message.clear();
    const auto wraps = tests::placeThatWraps(toJson(r), [](const nlohmann::json& json) {
        const auto read = verdictRecordFromJson(json);
        return read ? toJson(*read) : nlohmann::json();
    });
    QVERIFY2(wraps.empty(), wraps.c_str());
}

void PartsTest::oracleByHand()
{
    const std::vector<float> x{1, 10, 100, 1000};
    const Reference y = reference(small(), x, 1);
    QCOMPARE(y.values, (std::vector<double>{201, 0, 470}));
    const double u = std::ldexp(1.0, -24);
    // Rows of two products: 1 and 200, -30 and 500.
    const std::vector<double> bounds{6 * u * 201, 0, 6 * u * 530};
    for (std::size_t i = 0; i < bounds.size(); ++i)
        QVERIFY(std::abs(y.bounds[i] - bounds[i]) <= 1e-12 * bounds[i] + 1e-40);
    // 100 products of 2: the root of their number counts where signs are random.
    Csr row;
    row.rows = 1;
    row.cols = 100;
    row.rowPtr = {0, 100};
    for (std::int32_t i = 0; i < 100; ++i)
        row.col.push_back(i);
    row.val.assign(100, 2.0f);
    std::vector<float> ones(100, 1.0f);
    QCOMPARE(reference(row, ones, 1, Signs::Random).bounds[0], 6 * u * 12 * 20 + 100 * 0x1p-149);
    QCOMPARE(reference(row, ones, 1, Signs::Any).bounds[0], u * 104 * 200 + 100 * 0x1p-149);
    // Zeros are no products, and one product that is a float is that float.
    std::fill(ones.begin() + 1, ones.end(), 0.0f);
    QCOMPARE(reference(row, ones, 1, Signs::Random).bounds[0], 0.0);
    row.val[0] = ones[0] = 1 + 0x1p-23f;
    QCOMPARE(reference(row, ones, 1, Signs::Random).bounds[0], u * 5 * (1 + 0x1p-22 + 0x1p-46) + 0x1p-149);
    // Where a sum may leave float32, everything fits.
    row.val[0] = 3e38f;
    QVERIFY(!firstWrong(std::vector<float>{NAN}, reference(row, ones, 1), Tolerance::Bound));
    // Two columns: column 1 of B is twice column 0.
    const std::vector<float> b{1, 2, 10, 20, 100, 200, 1000, 2000};
    QCOMPARE(reference(small(), b, 2).values, (std::vector<double>{201, 402, 0, 0, 470, 940}));
    QVERIFY(!firstWrong(std::vector<float>{201, -0.0f, 470}, y, Tolerance::Exact));
    QVERIFY(
        firstWrong(std::vector<float>{201, 1e-30f, 470}, y, Tolerance::Bound)); // An empty row has no room.
    const auto wrong =
        firstWrong(std::vector<float>{201, 402, 0, 1, 470, 940}, reference(small(), b, 2), Tolerance::Exact);
    QVERIFY(wrong && wrong->row == 1 && wrong->column == 1 && wrong->got == 1 && wrong->expected == 0);
}

void PartsTest::poisonIsWrong()
{
    const Reference y = reference(small(), std::vector<float>{1, 1, 1, 1}, 1);
    const auto wrong = firstWrong(std::vector<float>{3, NAN, -2.5f}, y, Tolerance::Bound);
    QVERIFY(wrong && wrong->row == 1 && std::isnan(wrong->got));
    QVERIFY(firstWrong(std::vector<float>{INFINITY, 0, -2.5f}, y, Tolerance::Bound));
    QVERIFY(firstWrong(std::vector<float>{3, 0}, y, Tolerance::Bound)); // Too short.
    QVERIFY(!firstWrong(std::vector<float>{3, 0, -2.5f}, y, Tolerance::Bound));
}

void PartsTest::linearity()
{
    const std::vector<float> y1{1, 2}, y2{3, 5};
    QVERIFY(!firstNonLinear(y1, y2, std::vector<float>{-7, -11}, 2, -3, 1));
    const auto wrong = firstNonLinear(y1, y2, std::vector<float>{-7, -10}, 2, -3, 1);
    QVERIFY(wrong && wrong->row == 1 && wrong->expected == -11 && wrong->got == -10);
}

void PartsTest::batteriesHaveSizesOfAllKinds()
{
    // What a program asks of a size is true of some tests and false of others, with every seed.
    int square = 0, neighbours = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        int odd = 0, even = 0, warps = 0, blocks = 0;
        for (const auto& shape : batteryShapes(seed)) {
            const Csr& m = shape.matrix;
            QVERIFY(m.valid() && m.nnz() < 5000);
            odd += m.rows > 1 && m.rows % 2 == 1;
            even += m.rows % 2 == 0;
            warps += m.rows % 32 == 0;
            blocks += m.rows % 128 == 0;
            int longRows = 0, run = 0, longestRun = 0;
            for (std::int32_t row = 0; row < m.rows; ++row) {
                longRows += m.rowLength(row) >= std::min(65, m.cols);
                run = m.rowLength(row) == 0 ? run + 1 : 0;
                longestRun = std::max(longestRun, run);
            }
            if (shape.name == "empty-rows")
                QVERIFY(longestRun > 32 && m.nnz() > 0);
            if (shape.name == "odd-sizes")
                QVERIFY(m.rows % 2 == 1 && m.cols % 2 == 1);
            if (shape.name == "skew") {
                QVERIFY(longRows >= 2 || m.rows < 4);
                square += m.rows == m.cols;
                for (std::int32_t row = 1; row < m.rows; ++row)
                    if (m.rowLength(row) >= 65 && m.rowLength(row - 1) >= 65) {
                        ++neighbours;
                        break;
                    }
            }
        }
        QVERIFY(odd >= 3 && even >= 3 && warps >= 2 && blocks >= 1);
    }
    QVERIFY(square > 15 && square < 50);
    QVERIFY(neighbours > 10);
}

void PartsTest::batteryShapesAreWhatTheySay()
{
    const auto shapes = batteryShapes(11);
    QCOMPARE(shapes.size(), std::size_t(7));
    std::set<std::string> names;
    for (const auto& shape : shapes) {
        QVERIFY(shape.matrix.valid());
        QVERIFY(shape.matrix.nnz() < 5000);
        names.insert(shape.name);
    }
    QCOMPARE(names.size(), std::size_t(7));
    const Csr& empty = shapes[0].matrix;
    QVERIFY(empty.rowLength(0) == 0 && empty.rowLength(empty.rows - 1) == 0);
    int longest = 0;
    for (std::int32_t row = 0; row < shapes[1].matrix.rows; ++row)
        longest = std::max(longest, shapes[1].matrix.rowLength(row));
    QCOMPARE(longest, shapes[1].matrix.cols);
    QCOMPARE(shapes[2].matrix.rows, 1);
    QCOMPARE(shapes[3].matrix.cols, 1);
    QCOMPARE(shapes[4].matrix.nnz(), std::int64_t(0));
    // Another secret, other shapes.
    QVERIFY(batteryShapes(12)[5].matrix.col != shapes[5].matrix.col);
    QVERIFY(batteryShapes(11)[5].matrix.col == shapes[5].matrix.col);
}

void PartsTest::smallRelativeKeepsStructure()
{
    // A band of three with one full row.
    Csr m;
    m.rows = m.cols = 5000;
    for (int row = 0; row < m.rows; ++row) {
        for (int c = row == 777 ? 0 : std::max(0, row - 1);
             c <= (row == 777 ? m.cols - 1 : std::min(m.cols - 1, row + 1)); ++c)
            m.col.push_back(c);
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    m.val.assign(m.col.size(), 2.0f);
    const Csr like = smallRelative(m, 5);
    QVERIFY(like.valid());
    QVERIFY(like.rows <= 64 && like.rows >= 32);
    QVERIFY(like.nnz() <= 2048);
    int longest = 0, threes = 0;
    for (std::int32_t row = 0; row < like.rows; ++row) {
        longest = std::max(longest, like.rowLength(row));
        threes += like.rowLength(row) == 3;
    }
    QVERIFY(longest > 1000); // The long row takes what the others leave.
    QVERIFY(threes > like.rows / 2);
    for (const auto& [rows, cols] : {std::pair{0, 5}, std::pair{4, 0}, std::pair{1, 1}}) {
        Csr none;
        none.rows = rows;
        none.cols = cols;
        none.rowPtr.assign(static_cast<std::size_t>(rows) + 1, 0);
        QVERIFY(smallRelative(none, 1).valid());
    }
}

void PartsTest::channelMessages()
{
    auto ends = Channel::socketPair();
    QVERIFY(ends.has_value());
    Channel a(std::move(ends->first)), b(std::move(ends->second));
    auto buffer = SharedBuffer::create(100);
    QVERIFY(buffer.has_value());
    std::memcpy(buffer->data(), "hello", 5);
    const int fd = buffer->fd();
    QVERIFY(a.send({{"type", "one"}, {"text", "\xff"}}, std::span(&fd, 1)).has_value());
    QVERIFY(a.queue({{"type", "two"}, {"pad", std::string(1'000'000, 'x')}}).has_value());
    auto first = b.receive();
    QVERIFY(first.has_value() && *first);
    QCOMPARE((*first)->files.size(), std::size_t(1));
    auto adopted = SharedBuffer::adopt(std::move((*first)->files[0]));
    QVERIFY(adopted.has_value());
    QCOMPARE(std::memcmp(adopted->data(), "hello", 5), 0);
    // A message larger than the socket's buffer goes through in pieces.
    std::optional<Message> second;
    for (int i = 0; i < 1000 && !second; ++i) {
        QVERIFY(a.flush().has_value());
        QVERIFY(*b.readAvailable());
        second = std::move(*b.next());
    }
    QVERIFY(second.has_value());
    QCOMPARE(second->body["pad"].get<std::string>().size(), std::size_t(1'000'000));
    a = Channel(FileDescriptor());
    const auto end = b.receive();
    QVERIFY(end.has_value() && !*end);
}

void PartsTest::channelRefusesRubbish()
{
    const auto refused = [](const std::string& bytes) {
        auto ends = Channel::socketPair();
        Channel b(std::move(ends->second));
        if (::send(ends->first.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
            return false;
        ends->first.reset();
        const auto message = b.receive();
        return !message.has_value();
    };
    const auto framed = [](const std::string& text, unsigned files = 0) {
        std::string bytes;
        for (const std::uint32_t n : {static_cast<std::uint32_t>(text.size()), files})
            for (int i = 0; i < 4; ++i)
                bytes += static_cast<char>(n >> (8 * i));
        return bytes + text;
    };
    QVERIFY(refused(framed("{\"type\":1}")));
    QVERIFY(refused(framed("{}")));
    QVERIFY(refused(framed("[1,2]")));
    QVERIFY(refused(framed("{\"type\":\"x\"")));
    QVERIFY(refused(framed("{\"type\":\"x\"}", 1))); // A file that did not come.
    QVERIFY(refused(std::string("\xff\xff\xff\xff\0\0\0\0", 8)));
    QVERIFY(!refused(framed("{\"type\":\"x\"}")));
}

void PartsTest::sharedMatrices()
{
    const Csr m = small();
    const auto alone = std::make_shared<const Csr>(m);
    auto shared = shareContents(std::vector{Contents{alone}});
    QVERIFY(shared.has_value());
    const auto back = readSharedContents(*shared);
    QVERIFY(back.has_value());
    QCOMPARE(back->size(), std::size_t(1));
    const auto same = [&](const Csr& other) {
        return other.rowPtr == m.rowPtr && other.col == m.col && other.val == m.val && other.cols == 4;
    };
    QVERIFY(same(*back->front().matrix));
    // Several in one, of both types and of any size.
    const auto several = shareContents(
        std::vector<Contents>{{alone}, {std::make_shared<const Csr>(inType(m, ElementType::F64))}, {alone}});
    QVERIFY(several.has_value());
    const auto three = readSharedContents(*several);
    QVERIFY(three.has_value() && three->size() == 3);
    QVERIFY(same(*(*three)[0].matrix) && same(*(*three)[2].matrix));
    QVERIFY((*three)[1].matrix->type == ElementType::F64 && (*three)[1].matrix->val64.size() == m.val.size());
    QCOMPARE(keyInFile("f", 0, 1), std::string("f"));
    QCOMPARE(keyInFile("f", 2, 3), std::string("f#2"));
    // The size is sealed: nobody can pull the memory away.
    QVERIFY(::ftruncate(shared->fd(), 1) != 0);
    auto damaged = SharedBuffer::create(shared->size());
    QVERIFY(damaged.has_value());
    std::memcpy(damaged->data(), std::as_const(*shared).data(), shared->size());
    QVERIFY(readSharedContents(*damaged).has_value());
    damaged->data()[40] = std::byte{9}; // row_ptr[0] = 9
    QVERIFY(!readSharedContents(*damaged).has_value());
    auto tiny = SharedBuffer::create(10);
    QVERIFY(!readSharedContents(*tiny).has_value());
    QVERIFY(tiny->floats(8, 1).empty() && tiny->floats(1, 1).empty() && tiny->floats(4, 1).size() == 1);
}

/// A process that has been taken over cannot change what others are judged on, whatever it tries with the
/// descriptor that it was given.
void PartsTest::sharedMatricesCannotBeChanged()
{
    const Csr m = small();
    const auto shared = shareContents(std::vector{Contents{std::make_shared<const Csr>(m)}});
    QVERIFY(shared.has_value());
    const std::vector<std::byte> before(shared->data(), shared->data() + shared->size());
    QVERIFY(!shared->writable());

    constexpr int tries = 12, nothingWorked = 0x40;
    const pid_t child = ::fork();
    if (child == 0) {
        const int fd = ::dup(shared->fd()); // as a message brings it
        const std::size_t size = shared->size();
        const auto writes = [](int file) {
            const iovec part{const_cast<char*>("x"), 1};
            return ::write(file, "x", 1) == 1 || ::pwrite(file, "x", 1, 0) == 1 ||
                   ::writev(file, &part, 1) == 1;
        };
        const auto changes = [size](int file) {
            void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            return memory != MAP_FAILED;
        };
        int worked = 0, tried = 0;
        const auto attempt = [&](bool did) {
            worked += did;
            ++tried;
        };
        attempt(writes(fd));
        attempt(changes(fd));
        void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
        attempt(mapped != MAP_FAILED && ::mprotect(mapped, size, PROT_READ | PROT_WRITE) == 0);
        attempt(::ftruncate(fd, 0) == 0);
        attempt(::ftruncate(fd, static_cast<off_t>(2 * size)) == 0);
        attempt(::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)) ==
                0);
        attempt(::fallocate(fd, 0, 0, static_cast<off_t>(2 * size)) == 0);
        attempt(::madvise(mapped, size, MADV_REMOVE) == 0);
        attempt(::fcntl(fd, F_ADD_SEALS, 0x0020) == 0); // F_SEAL_EXEC
        const std::string path = "/proc/self/fd/" + std::to_string(fd);
        const int again = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        attempt(again >= 0 && (writes(again) || changes(again)));
        attempt(::open(path.c_str(), O_RDWR | O_TRUNC | O_CLOEXEC) >= 0);
        // A private copy may be written. It is private.
        void* const own = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
        if (own != MAP_FAILED)
            std::memset(own, 0xff, size);
        const int source = ::memfd_create("own", MFD_CLOEXEC);
        off_t at = 0;
        attempt(::write(source, "xxxx", 4) != 4 || ::copy_file_range(source, &at, fd, nullptr, 4, 0) > 0);
        ::_exit(tried == tries && worked == 0 ? nothingWorked : worked);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY2(WIFEXITED(status) && WEXITSTATUS(status) == nothingWorked, std::to_string(status).c_str());
    QVERIFY(std::memcmp(shared->data(), before.data(), before.size()) == 0);
    QVERIFY(readSharedContents(*shared).has_value());
    // What a runner takes for shared by others is refused while it can be written; a job's own memory is not.
    auto open = SharedBuffer::create(16);
    QVERIFY(open.has_value());
    QVERIFY(SharedBuffer::adopt(FileDescriptor(::dup(open->fd()))).has_value());
    QVERIFY(!SharedBuffer::adoptSealed(FileDescriptor(::dup(open->fd()))).has_value());
    QVERIFY(open->floats(0, 4).size() == 4);
    QVERIFY(open->seal().has_value());
    QVERIFY(SharedBuffer::adoptSealed(FileDescriptor(::dup(open->fd()))).has_value());
    QVERIFY(open->floats(0, 4).empty() && std::as_const(*open).floats(0, 4).size() == 4 && !open->data());
}

void PartsTest::jobsRoundTrip()
{
    SimulationJob job;
    job.program = "text";
    job.ptx = "ptx";
    job.resources = {{"k", 32, 100, 8, 400}};
    job.model = "h200";
    job.variant = {8, ElementType::F64};
    job.take = {"m"};
    SimulationCase one;
    one.contents = "m";
    one.calls = {{{{0, 4}, {16, 2, ElementType::F64}}, {{64, 3}}, {2, 0.5}, {{128, 3}}}};
    one.seed = 0xfedcba9876543210ULL;
    one.checks = Checks::Counters;
    one.drawnBlocks = true;
    one.schedule = Schedule::Shuffled;
    one.layout = AddressLayout::Far;
    one.stepBudget = 5'000'000'000ULL;
    job.cases = {one};
    const auto back = simulationJobFromJson(nlohmann::json::parse(toJson(job).dump()));
    QVERIFY(back.has_value());
    QCOMPARE(back->cases.at(0).seed, one.seed);
    const CallRanges& call = back->cases.at(0).calls.at(0);
    QCOMPARE(call.inputs.at(1).type, ElementType::F64);
    QCOMPARE(call.outputs.at(0).at, std::uint64_t(64));
    QCOMPARE(call.by, (CallFactors{2, 0.5}));
    QCOMPARE(call.before.at(0).count, std::uint64_t(3));
    QCOMPARE(back->cases.at(0).checks, Checks::Counters);
    QVERIFY(back->cases.at(0).drawnBlocks);
    QCOMPARE(back->cases.at(0).schedule, std::optional(Schedule::Shuffled));
    QCOMPARE(back->cases.at(0).layout, AddressLayout::Far);
    QCOMPARE(back->resources.at(0).registers, 32);

    CaseAnswer answer;
    answer.fault = Fault{FaultKind::Race, "two lanes", "k", 12, {{1, 0, 0}}, {{33, 0, 0}}};
    LaunchReport launch;
    launch.kernel = "k";
    launch.total.atomics = 5;
    launch.occupancy = {4, 0.5, "registers"};
    answer.result.launches = {launch};
    answer.result.lines = {LineCounters{3, 7}};
    const auto answers = caseAnswersFromJson(nlohmann::json::parse(toJson(std::vector{answer}).dump()));
    QVERIFY(answers.has_value());
    QCOMPARE(answers->at(0).fault->line, 12);
    QCOMPARE((*answers->at(0).fault->thread)[0], std::int64_t(33));
    QCOMPARE(answers->at(0).result.launches.at(0).total.atomics, std::int64_t(5));
    QCOMPARE(answers->at(0).result.launches.at(0).occupancy.limiter, std::string("registers"));
    QCOMPARE(answers->at(0).result.lines.at(0).warpInstructions, std::int64_t(7));
    // What another process sends may be anything.
    auto wraps = tests::placeThatWraps(toJson(job), [](const nlohmann::json& json) {
        const auto read = simulationJobFromJson(json);
        return read ? toJson(*read) : nlohmann::json();
    });
    QVERIFY2(wraps.empty(), wraps.c_str());
    wraps = tests::placeThatWraps(toJson(std::vector{answer}), [](const nlohmann::json& json) {
        const auto read = caseAnswersFromJson(json);
        return read ? toJson(*read) : nlohmann::json();
    });
    QVERIFY2(wraps.empty(), wraps.c_str());
    auto bad = toJson(std::vector{answer});
    bad["cases"][0]["fault"]["kind"] = 99;
    QVERIFY(!caseAnswersFromJson(bad).has_value());
    bad = toJson(std::vector{answer});
    bad["cases"][0].erase("warm");
    QVERIFY(!caseAnswersFromJson(bad).has_value());
    QVERIFY(!simulationJobFromJson(nlohmann::json::parse(R"({"type":"simulate"})")).has_value());
    QVERIFY(!compileAnswerFromJson(nlohmann::json::parse(R"({"type":"simulated"})")).has_value());
}

/// The judging of answers, without any runner: outputs put into the memory by hand.
void PartsTest::caseFindings()
{
    const auto matrix = std::make_shared<Csr>(small());
    auto shared = SharedMatrix::make("m", matrix);
    QVERIFY(shared.has_value());
    const std::vector<float> x{1, 1, 1, 1};
    const auto expected = std::make_shared<Reference>(reference(*matrix, x, 1));
    CasePlan plan;
    CaseCheck shape;
    shape.name = "shape";
    shape.references = {expected};
    CaseCheck target;
    target.references = {expected};
    target.repeats = 0;
    target.timed = true;
    plan.add(*shared, {x}, {}, shape);
    plan.add(*shared, {x}, {}, target);
    SimulationJob job;
    auto memory = plan.fill(job, {});
    QVERIFY(memory.has_value());
    QCOMPARE(job.cases.size(), std::size_t(2));
    const auto put = [&](std::size_t index, std::vector<float> y) {
        const auto& range = job.cases[index].calls[0].outputs[0];
        std::copy(y.begin(), y.end(), (*memory)->floats(range.at, range.count).begin());
    };
    QCOMPARE((*memory)->floats(job.cases[1].calls[0].inputs[0].at, 4)[2], 1.0f);
    std::vector<CaseAnswer> answers(2);
    put(0, {3, 0, -2.5f});
    put(1, {3, 0, -2.5f});
    auto findings = plan.judge(answers, **memory, false);
    QVERIFY(findings && !findings->failure && findings->timed && !findings->nondeterministic);
    put(1, {std::nextafter(3.0f, 4.0f), 0, -2.5f});
    findings = plan.judge(answers, **memory, false);
    QVERIFY(findings && !findings->failure && findings->nondeterministic);
    put(1, {3, 0, -2});
    findings = plan.judge(answers, **memory, false);
    QVERIFY(findings && findings->failure && findings->failure->caseName.empty() &&
            findings->failure->wrong->row == 2);
    // A format that does not apply to the matrix itself.
    put(1, {3, 0, -2.5f});
    answers[1].bind = BindFailure{BindFailure::Kind::FormatError, 2, "too many diagonals"};
    findings = plan.judge(answers, **memory, false);
    QVERIFY(findings && findings->failure && findings->failure->bind);
    VerdictRecord record;
    applyFailure(record, *findings->failure);
    QCOMPARE(record.verdict, Verdict::FormatError);
    QCOMPARE(record.line, 2);
    QVERIFY(!plan.judge({}, **memory, false).has_value()); // A runner that leaves cases out.
    answers[1] = {};
    answers[1].leftOut = true; // It says that it does, where the case has to run.
    QVERIFY(!plan.judge(answers, **memory, false).has_value());
    CasePlan further;
    SimulationCase spent;
    spent.ifSpent = IfSpent::LeftOut;
    further.add(*shared, {x}, {}, target);
    further.add(*shared, {x}, spent, shape);
    QVERIFY(further.judge(answers, **memory, false).has_value());
}

/// A target may have several inputs and outputs: each has a place, and each output is compared.
void PartsTest::callsOfSeveralTensors()
{
    /// Whole numbers that both outputs begin with.
    struct Begins : Expectation
    {
        std::vector<std::size_t> outputs() const override { return {2, 1}; }
        Comparison compare(std::span<const NumberView> outputs, Tolerance) const override
        {
            for (std::size_t i = 0; i < outputs.size(); ++i)
                if (outputs[i][0] != static_cast<double>(i + 1))
                    return {WrongElement{0, 0, static_cast<double>(i + 1), outputs[i][0], 0,
                                         static_cast<std::int64_t>(i)},
                            0};
            return {};
        }
    };
    auto shared = SharedMatrix::make("m", std::make_shared<Csr>(small()));
    QVERIFY(shared.has_value());
    CasePlan plan;
    CaseCheck check;
    check.references.assign(2, std::make_shared<Begins>());
    const CallNumbers inputs{std::vector<float>{1, 2, 3}, std::vector<float>{4}};
    plan.add(*shared, std::vector<CallNumbers>{inputs, inputs}, {}, check);
    SimulationJob job;
    const auto memory = plan.fill(job, {});
    QVERIFY(memory.has_value());
    const std::vector<CallRanges>& calls = job.cases.at(0).calls;
    QCOMPARE(calls.size(), std::size_t(2));
    std::set<std::uint64_t> places;
    for (const CallRanges& call : calls) {
        QVERIFY(call.inputs.size() == 2 && call.outputs.size() == 2 && call.before.empty());
        for (std::size_t i = 0; i < 2; ++i) {
            QCOMPARE(call.inputs[i].count, inputs[i].size());
            QCOMPARE(std::as_const(**memory).numbers(ElementType::F32, call.inputs[i].at, 1)[0],
                     inputs[i][0]);
            places.insert({call.inputs[i].at, call.outputs[i].at});
            (*memory)->floats(call.outputs[i].at, 1)[0] = static_cast<float>(i + 1);
        }
        QVERIFY(call.outputs[0].count == 2 && call.outputs[1].count == 1);
    }
    QCOMPARE(places.size(), std::size_t(8));
    auto findings = plan.judge(std::vector<CaseAnswer>(1), **memory, false);
    QVERIFY(findings && !findings->failure);
    (*memory)->floats(calls[1].outputs[1].at, 1)[0] = 7;
    findings = plan.judge(std::vector<CaseAnswer>(1), **memory, false);
    QVERIFY(findings && findings->failure && findings->failure->wrong);
    QCOMPARE(findings->failure->wrong->output, std::optional<std::int64_t>(1));
    VerdictRecord record;
    applyFailure(record, *findings->failure);
    QCOMPARE(record.message, std::string("output 1[0] is 7, but should be 2"));
    CasePlan unknown; // Nothing says what its output should be.
    unknown.add(*shared, std::vector<CallNumbers>{inputs}, {}, {});
    QVERIFY(!unknown.fill(job, {}).has_value());
}

/// Contents of a kind that has sizes and nothing else travel and bind.
void PartsTest::contentsWithoutMatrix()
{
    const Contents sizes{nullptr, {.rows = 5, .cols = 3}};
    const auto shared = shareContents(std::vector{sizes, Contents{std::make_shared<Csr>(small())}, sizes});
    QVERIFY(shared.has_value());
    const auto back = readSharedContents(*shared);
    QVERIFY(back && back->size() == 3);
    QVERIFY(!(*back)[0].matrix && (*back)[1].matrix && !(*back)[2].matrix);
    QCOMPARE((*back)[2].sizes.rows, std::int64_t(5));
    QCOMPARE((*back)[2].sizes.cols, std::int64_t(3));
    const auto program = parseProgram("//! task spmv\n//! launch k<<<rows, 32>>>(cols, x, y)\n"
                                      "extern \"C\" __global__ void k(int, const float*, float*) {}\n");
    QVERIFY(program.has_value());
    const auto plan = bindPlan(program->plan, back->front(), {}, {});
    QVERIFY(plan.has_value());
    QCOMPARE(plan->launches.at(0).grid[0], std::int64_t(5));
    QCOMPARE(plan->buffers.at(0).count, std::int64_t(3));
    QCOMPARE(plan->buffers.at(1).count, std::int64_t(5));
    QVERIFY(!bindPlan(program->plan, back->front(), {1, ElementType::F64}, {}).has_value());
}

void PartsTest::seedsDiffer()
{
    std::set<std::uint64_t> seen;
    for (std::uint64_t secret : {1, 2})
        for (std::uint64_t seed : {1, 2})
            for (const char* purpose : {"a", "b"})
                seen.insert(deriveSeed(secret, seed, purpose));
    QCOMPARE(seen.size(), std::size_t(8));
    QCOMPARE(deriveSeed(1, 2, "a"), deriveSeed(1, 2, "a"));
    // Inputs depend on the judge's secret, not only on the request's seed.
    const auto matrix = std::make_shared<Csr>(small());
    const Target target{{.contents = "d"}, matrix};
    auto one = TargetContext::make(target, 1), two = TargetContext::make(target, 2);
    QVERIFY(one && two);
    QVERIFY((*one)->inputs(5, 1)->first != (*two)->inputs(5, 1)->first);
    QVERIFY((*one)->inputs(5, 1)->first != (*one)->inputs(6, 1)->first);
    QVERIFY((*one)->inputs(5, 1)->wide != (*two)->inputs(5, 1)->wide);
    QVERIFY((*one)->exact().matrix->col == matrix->col);
}

/// Wide values are made when they are asked for, and are the same ones, as is all that is drawn after them.
/// Rows, entries and columns may each be what a program goes through, 32 at a time.
void PartsTest::stepsForEachSide()
{
    constexpr std::int32_t many = 3'000'000;
    const auto budget = [](std::int32_t rows, std::int32_t cols) {
        return defaultStepBudget(Workload({}, {.rows = rows, .cols = cols}));
    };
    constexpr std::uint64_t stepsOfPass = 12 * many / 32; // Load, store, add, compare, branch, and no more.
    QVERIFY(budget(1, many) > 10 * stepsOfPass);
    QVERIFY(budget(many, 1) > 10 * stepsOfPass);
    QVERIFY(budget(1, 1) < 1'000'000);
}

void PartsTest::wideValuesOnDemand()
{
    const Target target{{.contents = "d"}, std::make_shared<Csr>(small())};
    auto every = TargetContext::make(target, 1, true), byLot = TargetContext::make(target, 1, false);
    QVERIFY(every && byLot);
    const std::int64_t bytes = (*byLot)->bytes();
    QVERIFY(bytes < (*every)->bytes());
    QVERIFY((*byLot)->relative().wide.matrix->val == (*every)->relative().wide.matrix->val);
    const auto one = (*every)->wide(), two = (*byLot)->wide(), again = (*byLot)->wide();
    QVERIFY(one && two && again);
    QVERIFY(one->matrix->val == two->matrix->val && one->key == two->key);
    QVERIFY(two->matrix == again->matrix);
    QVERIFY((*byLot)->bytes() > bytes && (*byLot)->bytes() == (*every)->bytes());
}

void PartsTest::floors()
{
    const auto context = TargetContext::make({{.contents = "d"}, std::make_shared<Csr>(small())}, 1);
    // 4 values, 4 used columns, 3 rows, 4 bytes each.
    QCOMPARE((*context)->workload({1}).compulsoryBytes(), std::int64_t(44));
    QCOMPARE((*context)->workload({8}).compulsoryBytes(), std::int64_t(16 + 32 * 7));
    DeviceModel model;
    model.launchMicroseconds = 2;
    model.l2GBps = 1;
    QCOMPARE(floorMicroseconds(model, (*context)->workload({1})), 2 + 0.044);
    model.l2Bytes = 43;
    model.dramGBps = 0.5;
    QCOMPARE(floorMicroseconds(model, (*context)->workload({1})), 2 + 0.088);
    VerdictRecord record;
    CaseAnswer answer;
    answer.result.warmMicroseconds = 1.9;
    applyTiming(record, answer, 2.1);
    QCOMPARE(record.flags, VerdictFlags{VerdictFlag::Suspicious});
    QCOMPARE(record.shareOfLimit, 1.0);
    VerdictRecord honest;
    answer.result.warmMicroseconds = 4.2;
    applyTiming(honest, answer, 2.1);
    QVERIFY(honest.flags.empty());
    QCOMPARE(honest.shareOfLimit, 0.5);
    applyBaseline(honest, "ref", "CSR", 4.0);
    QCOMPARE(honest.flags, VerdictFlags{VerdictFlag::SlowerThanBaseline});
}

void PartsTest::messagesHavePlainNames()
{
    const auto told = [](const char* message) {
        VerdictRecord record;
        applyFailure(record, ProgramFailure{Verdict::Rejected, 0, message, {}});
        return record.message;
    };
    QCOMPARE(told("the array '_ZZ4spmvE1t' is read"), std::string("the array 't' is read"));
    QCOMPARE(told("'_Z5againfi' calls itself"), std::string("'again' calls itself"));
    QCOMPARE(told("_Z and _Zrubbish_ stay, x2 too"), std::string("_Z and _Zrubbish_ stay, x2 too"));
}

QTEST_GUILESS_MAIN(PartsTest)
#include "parts_test.moc"
