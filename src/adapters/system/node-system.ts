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

const idText = Buffer.alloc(36, '-')
const hexDigits = Buffer.from('0123456789abcdef')
/** Where each byte of an id is written, between the hyphens. */
const bytePlaces = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

/** A UUID as text. One string from its bytes: added up by character, each id leaves a kilobyte of garbage. */
function formatId(bytes: Uint8Array): string {
  for (let at = 0; at < bytePlaces.length; at++) {
    const byte = bytes[at] as number
    const place = bytePlaces[at] as number
    idText[place] = hexDigits[byte >> 4] as number
    idText[place + 1] = hexDigits[byte & 15] as number
  }
  return idText.toString('latin1')
}

/** The system port of Node.js: clock, ids and randomness. */
export function nodeSystem(now: () => number = Date.now): System {
  const ids = new V7Generator(drawnNumbers())
  // As for ids: salts are cut from a larger draw.
  let pool = ''
  return {
    now,
    newId: (prefix) => `${prefix}_${formatId(ids.generate().bytes)}`,
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
