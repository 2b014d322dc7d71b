#include "emulator/hip/work_queue.hpp"

#include "emulator/hip/failures.hpp"
#include "emulator/hip/runtime.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <pthread.h>
#include <utility>

namespace fmha950::hip {
namespace {

constexpr std::chrono::seconds patience(10); // of a program's end

thread_local uint64_t queue_at_work = 0;

} // namespace

// One mutex for all queues: it is held for moments only.
struct WorkQueues {
  std::mutex mutex;
  std::condition_variable finished; // any work
  std::vector<WorkQueuePointer> all;
  int running = 0;    // of kind device
  bool ended = false; // the program ends: nothing is waited for, and what comes is done at once
  bool watched = false, retiring = false; // workers that have nothing to do end
  size_t workers = 0;
  uint64_t made = 0;             // queues beside that of the null stream
  std::vector<std::thread> left; // by workers that end

  static WorkQueues& get() {
    static WorkQueues& queues = *new WorkQueues; // workers outlive static objects
    return queues;
  }

  static bool reached(const Ticket& ticket) { return ticket.queue->finished_ >= ticket.number; }
  static bool reached(const std::vector<Ticket>& tickets) {
    return std::ranges::all_of(tickets, [](const Ticket& each) { return reached(each); });
  }
  // With the mutex held: what work that is submitted now waits for beside its own queue.
  std::vector<Ticket> others(const WorkQueuePointer& queue) const {
    std::vector<Ticket> found;
    if (queue->order_ == WorkQueue::Order::independent) return found;
    const auto awaited =
        queue->order_ == WorkQueue::Order::null ? WorkQueue::Order::blocking : WorkQueue::Order::null;
    for (const WorkQueuePointer& each : all)
      if (each->order_ == awaited && each->finished_ < each->submitted_)
        found.push_back({each, each->submitted_});
    return found;
  }
  std::vector<Ticket> before(const WorkQueuePointer& queue) const {
    std::vector<Ticket> found = others(queue);
    found.push_back({queue, queue->submitted_});
    return found;
  }
  std::vector<Ticket> last() const {
    std::vector<Ticket> found;
    for (const WorkQueuePointer& each : all) found.push_back({each, each->submitted_});
    return found;
  }
  void wait(std::unique_lock<std::mutex>& lock, const std::vector<Ticket>& tickets) {
    finished.wait(lock, [&] { return ended || reached(tickets); });
  }
  bool has_device_work() const {
    const auto is_device = [](const auto& item) { return item.kind == WorkKind::device; };
    return running > 0 || std::ranges::any_of(all, [&](const auto& each) {
             return std::ranges::any_of(each->items_, is_device);
           });
  }
  void drop_if_done(const WorkQueuePointer& queue) {
    if (queue->closed_ && queue->finished_ == queue->submitted_) std::erase(all, queue);
  }

  static void perform(const WorkQueue& queue, WorkKind kind, const Work& work) {
    const uint64_t before = std::exchange(queue_at_work, queue.number_);
    if (kind == WorkKind::small || kind == WorkKind::callback)
      work();
    else
      Runtime::get().perform(work);
    queue_at_work = before;
  }
  void work(const WorkQueuePointer& queue);
  void start_worker(const WorkQueuePointer& queue);
  void end();
  void retire_idle(std::unique_lock<std::mutex>& lock);
  void join_left();
  void before_fork();
  void after_fork();
  void in_child();
  void watch_process();

  static WorkQueuePointer make(WorkQueue::Order order) {
    auto queue = std::make_shared<WorkQueue>();
    queue->order_ = order;
    WorkQueues& queues = get();
    queues.join_left();
    const std::lock_guard lock(queues.mutex);
    if (order != WorkQueue::Order::null) queue->number_ = ++queues.made;
    queues.all.push_back(queue);
    return queue;
  }
  Ticket submit(const WorkQueuePointer& queue, WorkQueue::Item item);
  void close(const WorkQueuePointer& queue);
};

void WorkQueues::work(const WorkQueuePointer& queue) {
  std::unique_lock lock(mutex);
  for (;;) {
    queue->wake_.wait(lock, [&] { return queue->closed_ || retiring || !queue->items_.empty(); });
    if (queue->items_.empty()) break;
    finished.wait(lock, [&] { return !ended && reached(queue->items_.front().after); });
    WorkQueue::Item item = std::move(queue->items_.front());
    queue->items_.pop_front();
    const int counted = item.kind == WorkKind::device;
    running += counted;
    lock.unlock();
    perform(*queue, item.kind, item.work);
    item = {}; // what it holds is given back before it counts as done
    lock.lock();
    running -= counted;
    ++queue->finished_;
    drop_if_done(queue);
    finished.notify_all();
  }
  left.push_back(std::move(queue->worker_));
  --workers;
  finished.notify_all();
}

void WorkQueues::start_worker(const WorkQueuePointer& queue) {
  watch_process();
  ++workers;
  queue->worker_ = std::thread([this, queue] { work(queue); });
}

// Before static objects go that running work needs. Launches that nobody waited for are given time to finish: what such
// a program prints and what checks find in it is not lost.
void WorkQueues::end() {
  std::unique_lock lock(mutex);
  finished.wait_for(lock, patience, [&] { return !has_device_work(); });
  const bool unfinished =
      std::ranges::any_of(all, [](const auto& each) { return each->finished_ < each->submitted_; });
  ended = true;
  finished.notify_all();
  if (unfinished) {
    say_note("the program ends with work under way: what is not finished after 10 s is lost. "
             "hipDeviceSynchronize waits for it");
    Runtime::get().stop();
    finished.wait(lock, [&] { return running == 0; });
  }
  retire_idle(lock);
  lock.unlock();
  join_left();
}

// Until only those workers are there that have something to do.
void WorkQueues::retire_idle(std::unique_lock<std::mutex>& lock) {
  retiring = true;
  for (const WorkQueuePointer& each : all) each->wake_.notify_one();
  finished.wait(lock, [&] {
    const auto busy =
        std::ranges::count_if(all, [](const auto& each) { return each->finished_ < each->submitted_; });
    return workers == static_cast<size_t>(busy);
  });
}

// Without the mutex: a thread may need it until it has ended.
void WorkQueues::join_left() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex);
    threads.swap(left);
  }
  for (std::thread& each : threads) each.join();
}

// Threads do not go along when a process forks: workers that have nothing to do end before, and start again when they are
// needed. What is under way stays in the parent.
void WorkQueues::before_fork() {
  std::unique_lock lock(mutex);
  retire_idle(lock);
  lock.unlock();
  join_left();
  mutex.lock(); // until the process has forked
}

void WorkQueues::after_fork() {
  retiring = false;
  mutex.unlock();
}

// What belongs to a thread that is gone is made anew, and what it was about to do is not this process's to release.
void WorkQueues::in_child() {
  new (&finished) std::condition_variable;
  running = 0;
  workers = 0;
  new (&left) std::vector<std::thread>;
  for (const WorkQueuePointer& each : all) {
    new (&each->wake_) std::condition_variable;
    new (&each->items_) std::deque<WorkQueue::Item>;
    new (&each->worker_) std::thread;
    each->finished_ = each->submitted_;
  }
  after_fork();
}

void WorkQueues::watch_process() {
  if (watched) return;
  watched = true;
  std::atexit([] { get().end(); });
  pthread_atfork([] { get().before_fork(); }, [] { get().after_fork(); }, [] { get().in_child(); });
}

Ticket WorkQueues::submit(const WorkQueuePointer& queue, WorkQueue::Item item) {
  std::unique_lock lock(mutex);
  std::ranges::move(others(queue), std::back_inserter(item.after));
  std::erase_if(item.after, [](const Ticket& each) { return reached(each); });
  const bool at_once =
      item.kind == WorkKind::small && item.after.empty() && queue->finished_ == queue->submitted_;
  if (at_once || ended) {
    const Ticket done{queue, queue->finished_};
    lock.unlock();
    perform(*queue, item.kind, item.work);
    return done;
  }
  if (!queue->worker_.joinable()) start_worker(queue);
  queue->items_.push_back(std::move(item));
  queue->wake_.notify_one();
  return {queue, ++queue->submitted_};
}

void WorkQueues::close(const WorkQueuePointer& queue) {
  const std::lock_guard lock(mutex);
  queue->closed_ = true;
  drop_if_done(queue);
  queue->wake_.notify_one();
}

WorkQueuePointer WorkQueue::make(Order order) { return WorkQueues::make(order); }

WorkQueuePointer WorkQueue::null() {
  static const WorkQueuePointer& queue = *new WorkQueuePointer(make(Order::null));
  return queue;
}

Ticket submit(const WorkQueuePointer& queue, WorkKind kind, Work work, std::vector<Ticket> after) {
  return WorkQueues::get().submit(queue, {std::move(work), kind, std::move(after)});
}

void close(const WorkQueuePointer& queue) { WorkQueues::get().close(queue); }

bool is_done(const Ticket& ticket) {
  const std::lock_guard lock(WorkQueues::get().mutex);
  return WorkQueues::reached(ticket);
}

void wait_for(const Ticket& ticket) {
  std::unique_lock lock(WorkQueues::get().mutex);
  WorkQueues::get().wait(lock, {ticket});
}

bool is_idle(const WorkQueuePointer& queue) {
  const std::lock_guard lock(WorkQueues::get().mutex);
  return WorkQueues::reached(WorkQueues::get().before(queue));
}

void wait_for(const WorkQueuePointer& queue) {
  std::unique_lock lock(WorkQueues::get().mutex);
  WorkQueues::get().wait(lock, WorkQueues::get().before(queue));
}

uint64_t number_of_queue() { return queue_at_work; }

void wait_for_all() {
  std::unique_lock lock(WorkQueues::get().mutex);
  WorkQueues::get().wait(lock, WorkQueues::get().last());
}

} // namespace fmha950::hip
