import { randomBytes, randomFillSync, timingSafeEqual } from 'node:crypto'
import { V7Generator } from 'uuidv7'
import type { System } from '../../ports/system.ts'

const saltBytes = 16
const saltsPerDraw = 256
const idNumbersPerDraw = 1_024

/** Random numbers for ids, from a larger draw: one draw costs about the same for any size. */
function drawnNumbers(): { nextUint32(): number } {
  const numbers = new Uint32Array(idNumbersPerDraw)
  let at = numbers.length
  return {
    nextUint32() {
      if (at === numbers.length) {
        randomFillSync(numbers)
        at = 0
      }
      return numbers[at++] as number
    },
  }
}

/** The system port of Node.js: clock, ids and randomness. */
export function nodeSystem(now: () => number = Date.now): System {
  const ids = new V7Generator(drawnNumbers())
  // As for ids: salts are cut from a larger draw.
  let pool = ''
  return {
    now,
    newId: (prefix) => `${prefix}_${ids.generate()}`,
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
