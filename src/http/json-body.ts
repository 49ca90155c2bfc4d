import { invalid } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { App } from './route-context.ts'

/** Shorter bodies cannot have too many values. */
const countedFrom = 262_144

/**
 * Limits the number of values in a JSON body. The time to parse JSON depends on its values: 8 MB of brackets take a second, 8 MB of
 * text a hundredth of that.
 */
export function limitJsonValues(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (body.length < countedFrom || countValues(body) <= limits.jsonValuesMax) return parse(request, body, done)
    const max = limits.jsonValuesMax
    done(invalid('body', `must not have more than ${max} values`, { limit: 'jsonValuesMax', max }), undefined)
  })
}

const quote = 0x22
const backslash = 0x5c
/** The characters that precede a value: comma, colon and opening brackets. */
const isBefore = new Uint8Array(128)
for (const sign of ',:[{') isBefore[sign.charCodeAt(0)] = 1

/** Counts the values of a JSON text without parsing it. */
export function countValues(json: string): number {
  let values = 1
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === quote) {
      while (++at < json.length) {
        const inside = json.charCodeAt(at)
        if (inside === backslash) at++
        else if (inside === quote) break
      }
    } else if (code < 128 && isBefore[code] === 1) values++
  }
  return values
}
