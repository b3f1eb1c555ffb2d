// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <coroutine>
#include <deque>
#include <optional>
#include <utility>

namespace sparserl {

template <typename T = void>
class Flow;

namespace flow {

/// Decides how a flow starts and ends. A flow starts when it is awaited. When it is complete, it resumes the
/// flow that awaits it.
struct PromiseBase
{
    std::coroutine_handle<> next;

    struct End
    {
        bool await_ready() const noexcept { return false; }
        template <typename Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept
        {
            const auto next = ended.promise().next;
            return next ? next : std::noop_coroutine();
        }
        void await_resume() const noexcept {}
    };
    std::suspend_always initial_suspend() const noexcept { return {}; }
    End final_suspend() const noexcept { return {}; }
    /// Passes the exception to the caller that resumed the flow. The flow ends, and flows that await it are
    /// not resumed.
    void unhandled_exception() const { throw; }
};

template <typename T>
struct Promise : PromiseBase
{
    std::optional<T> value;
    Flow<T> get_return_object() noexcept;
    void return_value(T from) { value.emplace(std::move(from)); }
    T take() { return std::move(*value); }
};

template <>
struct Promise<void> : PromiseBase
{
    Flow<void> get_return_object() noexcept;
    void return_void() const noexcept {}
    void take() const noexcept {}
};

} // namespace flow

/// A coroutine: sequential code that can suspend. It owns its frame and the flows that it awaits. Destroying
/// a suspended flow also destroys those flows, and the events that they wait for then have no receiver. It
/// starts when it is awaited, or with start(). Do not destroy it while it runs. Flows are not thread-safe.
template <typename T>
class [[nodiscard]] Flow
{
public:
    using promise_type = flow::Promise<T>;

    Flow() = default;
    explicit Flow(std::coroutine_handle<promise_type> frame)
        : m_frame(frame)
    {
    }
    Flow(Flow&& other) noexcept
        : m_frame(std::exchange(other.m_frame, {}))
    {
    }
    Flow& operator=(Flow&& other) noexcept
    {
        std::swap(m_frame, other.m_frame);
        return *this;
    }
    ~Flow()
    {
        if (m_frame)
            m_frame.destroy();
    }

    /// Runs a flow that nothing awaits until it first suspends.
    void start() { m_frame.resume(); }
    bool exists() const { return static_cast<bool>(m_frame); }
    bool ended() const { return m_frame && m_frame.done(); }

    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept
    {
        m_frame.promise().next = awaiting;
        return m_frame;
    }
    T await_resume() { return m_frame.promise().take(); }

private:
    std::coroutine_handle<promise_type> m_frame;
};

template <typename T>
Flow<T> flow::Promise<T>::get_return_object() noexcept
{
    return Flow<T>(std::coroutine_handle<Promise>::from_promise(*this));
}

inline Flow<void> flow::Promise<void>::get_return_object() noexcept
{
    return Flow<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

/// The flows that wait for an event, in order of arrival. A destroyed flow leaves the list.
class Waiting
{
public:
    class [[nodiscard]] Place
    {
    public:
        explicit Place(Waiting& list, bool ready = false)
            : m_list(list)
            , m_ready(ready)
        {
        }
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        ~Place() { std::erase(m_list.m_places, this); }
        bool await_ready() const noexcept { return m_ready; }
        void await_suspend(std::coroutine_handle<> waiting)
        {
            m_waiting = waiting;
            m_list.m_places.push_back(this);
        }
        void await_resume() const noexcept {}

    private:
        friend class Waiting;
        Waiting& m_list;
        bool m_ready;
        std::coroutine_handle<> m_waiting;
    };

    Waiting() = default;
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    /// `co_await list.place()` waits for the next resumeAll().
    Place place() { return Place(*this); }
    /// Resumes the flows that wait now. Flows that arrive during the call wait for the next one.
    void resumeAll()
    {
        for (std::size_t left = m_places.size(); left > 0 && !m_places.empty(); --left) {
            const auto waiting = m_places.front()->m_waiting;
            m_places.pop_front();
            waiting.resume();
        }
    }
    std::size_t size() const { return m_places.size(); }

private:
    std::deque<Place*> m_places;
};

/// Access to something that only one flow may use at a time.
class Turn
{
public:
    /// The access of one flow. It ends with end(), or when the flow is destroyed; in the latter case, no flow
    /// is resumed.
    class [[nodiscard]] Held
    {
    public:
        explicit Held(Turn& turn)
            : m_turn(&turn)
        {
        }
        Held(Held&& other) noexcept
            : m_turn(std::exchange(other.m_turn, nullptr))
        {
        }
        Held& operator=(Held&&) = delete;
        ~Held()
        {
            if (m_turn)
                m_turn->m_taken = false;
        }
        /// Ends the access and resumes the waiting flows.
        void end()
        {
            Turn& turn = *std::exchange(m_turn, nullptr);
            turn.m_taken = false;
            turn.m_waiting.resumeAll();
        }

    private:
        Turn* m_turn;
    };

    Flow<Held> take()
    {
        while (m_taken)
            co_await m_waiting.place();
        m_taken = true;
        co_return Held(*this);
    }

private:
    Waiting m_waiting;
    bool m_taken = false;
};

/// A value that is computed once for all flows that await it.
template <typename T>
class Awaited
{
public:
    Awaited() = default;
    Awaited(const Awaited&) = delete;
    Awaited& operator=(const Awaited&) = delete;

    bool started() const { return m_work.exists() || value; }
    /// Starts the work and takes ownership of it. The code that the value resumes must not destroy this
    /// object.
    void start(Flow<T> work)
    {
        m_work = workOut(std::move(work));
        m_work.start();
    }
    void set(T result)
    {
        value = std::move(result);
        m_waiting.resumeAll();
    }

    /// The awaitable for `co_await` on an Awaited. It yields the value.
    class [[nodiscard]] Place : public Waiting::Place
    {
    public:
        explicit Place(Awaited& awaited)
            : Waiting::Place(awaited.m_waiting, awaited.value.has_value())
            , m_awaited(awaited)
        {
        }
        T& await_resume() const { return *m_awaited.value; }

    private:
        Awaited& m_awaited;
    };
    Place operator co_await() { return Place(*this); }

    std::optional<T> value;

private:
    Flow<> workOut(Flow<T> work)
    {
        std::optional<T> result;
        {
            // The frame and the objects that its parameters hold do not outlive the work.
            Flow<T> inner = std::move(work);
            result.emplace(co_await std::move(inner));
        }
        set(std::move(*result));
    }

    Waiting m_waiting;
    Flow<> m_work;
};

/// `co_await Never()` suspends until the flow is destroyed.
using Never = std::suspend_always;

} // namespace sparserl
