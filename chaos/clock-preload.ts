// Loaded into a server before everything else: its clock is that of the machine plus the offset in a file.
import { readFileSync } from 'node:fs'

const file = process.env.CHAOS_CLOCK_FILE ?? ''
const readEveryMs = 20
const realNow = Date.now
let shiftMs = readShift()
setInterval(() => {
  shiftMs = readShift()
}, readEveryMs).unref()

function readShift(): number {
  try {
    return Number(readFileSync(file, 'utf8')) || 0
  } catch {
    return 0
  }
}

const now = () => realNow() + shiftMs

globalThis.Date = new Proxy(Date, {
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
})
