import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const router = readFileSync(new URL('../../console/src/app/router.tsx', import.meta.url), 'utf8')
const routes = [...router.matchAll(/\bscreen\('([^']+)'/g)].map(([, path = '']) => path)

/** The address of every screen of the console's own route list, so that a new screen is not left out. `ids` fills its parameters. */
export function everyScreen(ids: Readonly<Record<string, string>>): readonly string[] {
  assert.ok(routes.length > 10, 'the route list has moved')
  return routes.map((route) =>
    route.replaceAll(/\$(\w+)/g, (_, name: string) => {
      const id = ids[name]
      assert.ok(id !== undefined, `the screen ${route} needs a value for ${name} here`)
      return encodeURIComponent(id)
    }),
  )
}
