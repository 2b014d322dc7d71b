#pragma once
// What streams have been asked to do: a queue for each, and a thread that works it off in order. The thread starts with the
// first work. The queue of the null stream and the blocking ones wait for each other (hip_runtime_api.h, null stream).

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace fmha950::hip {

using Work = std::function<void()>;

class WorkQueue;
using WorkQueuePointer = std::shared_ptr<WorkQueue>;

// A place in a queue: reached when everything up to it has been done.
struct Ticket {
  WorkQueuePointer queue;
  uint64_t number = 0;
};

enum class WorkKind {
  device,   // dropped once the device has faulted; what it throws is a fault
  host,     // a program's function: likewise, but the program's end does not wait for it
  callback, // likewise, but done whatever happened
  small,    // done whatever happened, and at once where there is nothing to wait for
};

class WorkQueue {
 public:
  enum class Order { null, blocking, independent };
  static WorkQueuePointer make(Order order);
  static WorkQueuePointer null(); // of the null stream

 private:
  friend struct WorkQueues;
  struct Item {
    Work work;
    WorkKind kind;
    std::vector<Ticket> after;
  };
  Order order_ = Order::blocking;
  uint64_t number_ = 0;
  std::deque<Item> items_;
  uint64_t submitted_ = 0, finished_ = 0;
  bool closed_ = false;
  std::thread worker_;
  std::condition_variable wake_; // of the worker
};

// Behind what is in the queue, and behind `after`.
Ticket submit(const WorkQueuePointer& queue, WorkKind kind, Work work, std::vector<Ticket> after = {});
void close(const WorkQueuePointer& queue); // its work is still done

bool is_done(const Ticket& ticket);
void wait_for(const Ticket& ticket);
bool is_idle(const WorkQueuePointer& queue);  // nothing left that its next work would wait for
void wait_for(const WorkQueuePointer& queue); // likewise
void wait_for_all();                          // of all queues, that was there at the call

// Of the queue whose work the calling thread does: 0 is the null stream's, others are numbered from 1 as they were made.
uint64_t number_of_queue();

} // namespace fmha950::hip
