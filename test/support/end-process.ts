// Loaded before a test file that has a process of its own: ends the process if its tests left something open, which would
// keep the whole run waiting. Node's --test-force-exit does so too, but ends the process before its last results are read,
// and they are missing from the report and the count (nodejs/node#64833).
import { after } from 'node:test'
import { isMainThread } from 'node:worker_threads'

/** Longer than the hooks of a file take to stop its servers. */
const openMsMax = 30_000

if (isMainThread && process.env.NODE_TEST_CONTEXT === 'child-v8') {
  after(() => {
    const leave = () => {
      process.stderr.write(`${process.argv[1]}: its tests are over, but something was left open.\n`)
      process.exit()
    }
    // A process with nothing left to do does not wait for it.
    setTimeout(leave, openMsMax).unref()
  })
}
