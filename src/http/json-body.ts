import { invalid } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import type { App } from './context.ts'

/** Shorter bodies cannot hold many values. */
const countedFrom = 262_144

/** Reading JSON takes as long as it has values: eight megabytes of brackets take a second, of text a hundredth of that. */
export function boundJsonBodies(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) => {
    if (body.length < countedFrom || countValues(body) <= limits.jsonValuesMax) return parse(request, body, done)
    const max = limits.jsonValuesMax
    done(invalid('body', `must not hold more than ${max} values`, { limit: 'jsonValuesMax', max }), undefined)
  })
}

const quote = 0x22
const backslash = 0x5c
/** What stands before a value: a comma, a colon, and the brackets that open. */
const isBefore = new Uint8Array(128)
for (const sign of ',:[{') isBefore[sign.charCodeAt(0)] = 1

/** How many values a JSON text has, without reading it. */
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
