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

const tabbed = [
  ['/operations', 'operations/operation-groups.tsx'],
  ['/sources', 'sources/sources-screen.tsx'],
  ['/security', 'security/security-screen.tsx'],
] as const

/** The address of every tab of the screens that have tabs. */
export function everyTab(): readonly string[] {
  return tabbed.flatMap(([path, file]) => {
    const source = readFileSync(new URL(`../../console/src/screens/${file}`, import.meta.url), 'utf8')
    const ids = [...source.matchAll(/\bid: '([\w-]+)', name: '[^']+', content:/g)].map(([, id]) => id)
    assert.ok(ids.length > 2, `the tabs of ${path} have moved`)
    return ids.map((id) => `${path}?tab=${id}`)
  })
}
