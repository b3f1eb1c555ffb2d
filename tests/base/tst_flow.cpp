// SPDX-License-Identifier: Apache-2.0
// Flows: who runs when, who owns whom, and that nothing is left of what was given up.
#include "base/background.h"
#include "base/flow.h"

#include "tests/patience.h"

#include <QTest>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <list>
#include <memory>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace sparserl;

namespace {

using Log = std::vector<std::string>;

/// A place where flows wait for a string, as for a process.
struct Event
{
    Waiting waiting;
    std::string said;
    void say(std::string text)
    {
        said = std::move(text);
        waiting.resumeAll();
    }
};

/// Says in the end that its frame is gone.
struct Ghost
{
    Log& log;
    std::string name;
    Ghost(Log& to, std::string called)
        : log(to)
        , name(std::move(called))
    {
    }
    Ghost(const Ghost&) = delete;
    Ghost& operator=(const Ghost&) = delete;
    ~Ghost() { log.push_back("-" + name); }
};

Flow<std::string> hear(Event& event, Log& log, std::string name)
{
    const Ghost ghost(log, name);
    co_await event.waiting.place();
    log.push_back(name + " hears " + event.said);
    co_return event.said;
}

/// Asks another thread for a square.
Flow<> askElsewhere(Background& background, int number, std::thread::id& thread, Log& log)
{
    auto square = [number, &thread] {
        thread = std::this_thread::get_id();
        return number * number;
    };
    const int answer = co_await background.run(std::move(square));
    log.push_back(std::to_string(answer));
}

Flow<> askInVain(Background& background, Log& log)
{
    try {
        auto call = []() -> int { throw std::runtime_error("no answer"); };
        log.push_back(std::to_string(co_await background.run(std::move(call))));
    } catch (const std::runtime_error& error) {
        log.push_back(error.what());
    }
}

/// A call that ends when it may, and refers to nothing of its flow.
Flow<> askSlowly(Background& background, std::atomic<int>& calls, std::promise<void>* begun,
                 std::promise<void>& mayEnd, Log& log)
{
    auto call = [calls = &calls, begun, mayEnd = &mayEnd] {
        ++*calls;
        if (begun)
            begun->set_value();
        mayEnd->get_future().wait();
        return true;
    };
    co_await background.run(std::move(call));
    log.push_back("ended");
}

/// Holds a turn until the event.
Flow<> useInTurn(Turn& turn, Event& event, Log& log, std::string name)
{
    auto held = co_await turn.take();
    log.push_back(name + " has it");
    co_await event.waiting.place();
    log.push_back(name + " is done");
    held.end();
}

/// The parameter lives as long as the frame.
Flow<int> holdGhost(std::shared_ptr<Ghost>)
{
    co_return 5;
}

Flow<int> lengths(Event& event, Log& log, std::string name)
{
    const Ghost ghost(log, name + "s parent");
    int total = 0;
    for (int i = 0; i < 2; ++i) {
        const std::string heard = co_await hear(event, log, name + std::to_string(i));
        total += static_cast<int>(heard.size());
    }
    co_return total;
}

Flow<> keep(Event& event, Log& log, int& result)
{
    result = co_await lengths(event, log, "a");
    log.push_back("kept");
}

Flow<> follow(Awaited<std::string>& value, Log& log, std::string name)
{
    const std::string& got = co_await value;
    log.push_back(name + " gets " + got);
}

Flow<std::string> count(int depth)
{
    if (depth == 0)
        co_return std::string("end");
    std::string rest = co_await count(depth - 1);
    co_return std::move(rest);
}

Flow<> countAll(int depth, std::string& result)
{
    result = co_await count(depth);
}

Flow<> fail(Event& event)
{
    co_await event.waiting.place();
    throw std::runtime_error("broken");
}

Flow<> stop(Log& log)
{
    const Ghost ghost(log, "stopped");
    co_await Never();
    log.push_back("never");
}

} // namespace

class TestFlow : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runsWhereItIsAwaited()
    {
        Log log;
        Event event;
        int result = 0;
        Flow<> root = keep(event, log, result);
        QVERIFY(log.empty() && event.waiting.size() == 0); // It has not begun.
        root.start();
        QCOMPARE(event.waiting.size(), std::size_t(1));
        event.say("one");
        QCOMPARE(log, Log({"a0 hears one", "-a0"}));
        QCOMPARE(event.waiting.size(), std::size_t(1)); // The next waits for the next event.
        QVERIFY(!root.ended());
        event.say("three");
        QVERIFY(root.ended());
        QCOMPARE(result, 8);
        QCOMPARE(log, Log({"a0 hears one", "-a0", "a1 hears three", "-a1", "-as parent", "kept"}));
        event.say("nobody");
        QCOMPARE(log.size(), std::size_t(6));
    }

    /// A flow that is given up takes with it what it waits for, and an event finds nobody.
    void whatIsGivenUpIsGone()
    {
        Log log;
        Event event;
        int result = 0, other = 0;
        {
            Flow<> root = keep(event, log, result), second = keep(event, log, other);
            root.start();
            second.start();
            QCOMPARE(event.waiting.size(), std::size_t(2));
            root = Flow<>(); // Swaps: gone at the end of this statement.
            QCOMPARE(event.waiting.size(), std::size_t(1));
            event.say("x");
            QCOMPARE(log, Log({"-a0", "-as parent", "a0 hears x", "-a0"}));
            Flow<> unused = keep(event, log, result);
        }
        QCOMPARE(event.waiting.size(), std::size_t(0));
        event.say("y");
        QCOMPARE(log.size(), std::size_t(6));
        QCOMPARE(result + other, 0);
    }

    /// One that is resumed may give up others that wait for the same.
    void resumedOnesMayEndOthers()
    {
        Log log;
        Event event;
        std::unique_ptr<Flow<>> second;
        const auto first = [](Event& heard, std::unique_ptr<Flow<>>& ended) -> Flow<> {
            co_await heard.waiting.place();
            ended.reset();
        };
        Flow<> one = first(event, second);
        int result = 0;
        second = std::make_unique<Flow<>>(keep(event, log, result));
        one.start();
        second->start();
        event.say("x");
        QCOMPARE(log, Log({"-a0", "-as parent"}));
        QVERIFY(one.ended());
    }

    void valuesAreWorkedOutOnce()
    {
        Log log;
        Event event;
        {
            Awaited<std::string> value;
            QVERIFY(!value.started());
            Flow<> a = follow(value, log, "a"), b = follow(value, log, "b"), c = follow(value, log, "c");
            a.start();
            b.start();
            value.start(hear(event, log, "work"));
            QVERIFY(value.started() && !value.value);
            b = Flow<>();
            event.say("it");
            QCOMPARE(log, Log({"work hears it", "-work", "a gets it"}));
            c.start(); // It is there already.
            QCOMPARE(log.back(), std::string("c gets it"));
            value.set("other"); // Nobody waits.
            QCOMPARE(log.size(), std::size_t(4));
        }
        Awaited<std::string> unfinished;
        log.clear();
        {
            Awaited<std::string> gone;
            gone.start(hear(event, log, "work"));
            unfinished.start(hear(event, log, "other"));
        }
        QCOMPARE(log, Log({"-work"}));
        event.say("z");
        QCOMPARE(*unfinished.value, std::string("z"));
    }

    void manyThatFollowEachOther()
    {
        std::string result;
        Flow<> root = countAll(1000, result);
        root.start();
        QCOMPARE(result, std::string("end"));
    }

    /// They reach the caller that resumed the flow; those that await it never go on.
    void exceptionsGetOut()
    {
        Log log;
        Event event;
        const auto outer = [](Event& heard, Log& to) -> Flow<> {
            const Ghost ghost(to, "outer");
            co_await fail(heard);
            to.push_back("no");
        };
        {
            Flow<> root = outer(event, log);
            root.start();
            QVERIFY_EXCEPTION_THROWN(event.say("x"), std::runtime_error);
            QVERIFY(log.empty());
        }
        QCOMPARE(log, Log({"-outer"}));
    }

    void callsRunElsewhere()
    {
        Background background(3);
        Log log;
        std::vector<std::thread::id> threads(20);
        std::list<Flow<>> flows;
        for (int i = 0; i < 20; ++i)
            flows.emplace_back(askElsewhere(background, i, threads[std::size_t(i)], log)).start();
        QVERIFY(log.empty()); // Flows resume in deliver() only.
        std::size_t delivered = 0;
        while (log.size() < 20) {
            pollfd event{background.fd(), POLLIN, 0};
            ::poll(&event, 1, test::patience());
            QVERIFY(event.revents & POLLIN);
            background.deliver();
            QVERIFY(log.size() > delivered);
            delivered = log.size();
        }
        for (int i = 0; i < 20; ++i) {
            QVERIFY(std::ranges::count(log, std::to_string(i * i)) == 1);
            QVERIFY(threads[std::size_t(i)] != std::this_thread::get_id());
        }
    }

    void callsThatThrow()
    {
        Background background(1);
        Log log;
        Flow<> flow = askInVain(background, log);
        flow.start();
        while (!flow.ended()) {
            pollfd event{background.fd(), POLLIN, 0};
            ::poll(&event, 1, 1000);
            background.deliver();
        }
        QCOMPARE(log, Log({"no answer"}));
    }

    /// What began ends before drain() returns, what did not never begins, and no flow hears of either.
    void drained()
    {
        Background background(1);
        Log log;
        std::promise<void> begun, mayEnd;
        std::atomic<int> calls = 0;
        std::list<Flow<>> flows;
        flows.emplace_back(askSlowly(background, calls, &begun, mayEnd, log)).start();
        begun.get_future().wait();
        flows.emplace_back(askSlowly(background, calls, nullptr, mayEnd, log)).start();
        std::thread other([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            mayEnd.set_value();
        });
        background.drain();
        QCOMPARE(calls.load(), 1);
        flows.clear();
        background.deliver();
        QVERIFY(log.empty());
        other.join();
        // It goes on with what comes then.
        std::thread::id thread;
        Flow<> flow = askElsewhere(background, 3, thread, log);
        flow.start();
        while (!flow.ended()) {
            pollfd event{background.fd(), POLLIN, 0};
            ::poll(&event, 1, 1000);
            background.deliver();
        }
        QCOMPARE(log, Log({"9"}));
    }

    /// A flow that was destroyed hears nothing, although its call is still running.
    void destroyedMeanwhile()
    {
        Background background(1);
        Log log;
        std::promise<void> begun, mayEnd;
        std::atomic<int> calls = 0;
        {
            Flow<> flow = askSlowly(background, calls, &begun, mayEnd, log);
            flow.start();
            begun.get_future().wait();
        }
        mayEnd.set_value();
        pollfd event{background.fd(), POLLIN, 0};
        ::poll(&event, 1, test::patience());
        background.deliver();
        QCOMPARE(calls.load(), 1);
        QVERIFY(log.empty());
    }

    void oneAtATime()
    {
        Log log;
        Turn turn;
        Event event;
        Flow<> a = useInTurn(turn, event, log, "a"), b = useInTurn(turn, event, log, "b"),
               c = useInTurn(turn, event, log, "c");
        a.start();
        b.start();
        c.start();
        QCOMPARE(log, Log({"a has it"}));
        event.say("go");
        QCOMPARE(log, Log({"a has it", "a is done", "b has it"}));
        b = {}; // Given up in its turn: nobody is resumed, and the turn is free.
        Flow<> d = useInTurn(turn, event, log, "d");
        d.start();
        QCOMPARE(log.back(), std::string("d has it"));
        event.say("go");
        QCOMPARE(log, Log({"a has it", "a is done", "b has it", "d has it", "d is done", "c has it"}));
    }

    /// What a finished computation was given does not live as long as its value.
    void endedWorkHoldsNothing()
    {
        Log log;
        Awaited<int> value;
        value.start(holdGhost(std::make_shared<Ghost>(log, "given")));
        QCOMPARE(log, Log({"-given"}));
        QCOMPARE(value.value, std::optional<int>(5));
    }

    void never()
    {
        Log log;
        {
            Flow<> root = stop(log);
            root.start();
        }
        QCOMPARE(log, Log({"-stopped"}));
    }
};

QTEST_APPLESS_MAIN(TestFlow)
#include "tst_flow.moc"
