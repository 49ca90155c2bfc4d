// Loaded into the server that is attacked (node --import): the longest time that its event loop computed without a
// pause, in CPU time of the thread, so that whatever else the machine does counts little.
import { isMainThread } from 'node:worker_threads'

if (isMainThread && process.send !== undefined) {
  let longest = 0
  let last = process.threadCpuUsage()
  setInterval(() => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, now.user + now.system - last.user - last.system)
    last = now
  }, 2).unref()
  process.on('message', () => {
    process.send?.({ longestMs: longest / 1_000, residentMb: process.memoryUsage().rss / 1_048_576 })
    longest = 0
  })
  process.channel?.unref()
}
