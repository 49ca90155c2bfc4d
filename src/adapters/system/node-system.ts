import { randomBytes, timingSafeEqual } from 'node:crypto'
import { uuidv7 } from 'uuidv7'
import type { System } from '../../ports/system.ts'

const saltBytes = 16
const saltsPerDraw = 256

/** The system port of Node.js: clock, ids and randomness. */
export function nodeSystem(now: () => number = Date.now): System {
  // One call of randomBytes costs about the same for any size, so salts are cut from a larger draw.
  let pool = ''
  return {
    now,
    newId: (prefix) => `${prefix}_${uuidv7()}`,
    newSalt() {
      if (pool.length === 0) pool = randomBytes(saltBytes * saltsPerDraw).toString('hex')
      const salt = pool.slice(-saltBytes * 2)
      pool = pool.slice(0, -saltBytes * 2)
      return salt
    },
    isSame: (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b)),
    newKey: () => randomBytes(32),
    newSecret: () => randomBytes(32).toString('base64url'),
  }
}
