import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { secretFileVariables } from '../../src/config/secret-files.ts'
import { settings } from '../../src/config/settings.ts'

export const root = join(import.meta.dirname, '../..')
export const chart = 'deploy/helm/colophon'

export function readDeployFile(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

// biome-ignore lint/suspicious/noExplicitAny: the test checks the shape.
export function readYaml(path: string): any {
  return parse(readDeployFile(path))
}

/** The port that the files use, and that a server has without a setting. */
export const port = 4242
/** The account in the image. */
export const userId = 10_001

/** Every variable that a text sets or names is one that the server knows. */
export function assertKnownVariables(text: string): void {
  const known = new Set([...Object.values(settings).map(({ variable }) => variable), ...secretFileVariables])
  const named = new Set(text.match(/\bCOLOPHON_[A-Z_]*[A-Z](?![A-Z_…{])/g))
  assert.ok(named.size > 0)
  for (const name of named) assert.ok(known.has(name), `${name} is not a variable of Colophon`)
}

/** The paths of health checks are public routes of the server. */
export function assertPublicRoute(path: string): void {
  const routes = readDeployFile('src/wires/openwop-v1/routes/system.ts')
  assert.match(routes, new RegExp(`'GET ${path}', 'public'`), `${path} is not a public route`)
}

/** The instructions of a Dockerfile, with continued lines joined, by stage. */
export function dockerfileStages(text: string): { name: string; value: string }[][] {
  const lines = text.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '')
  const stages: { name: string; value: string }[][] = [[]]
  for (const line of lines.split('\n').filter(Boolean)) {
    const [, name = '', value = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? assert.fail(`not an instruction: ${line}`)
    if (name === 'FROM') stages.push([])
    stages.at(-1)?.push({ name, value })
  }
  return stages.slice(1)
}

/** The image that the last stage of the Dockerfile describes. */
export function imageOf(text: string) {
  const last = dockerfileStages(text).at(-1) ?? []
  const lastOf = (name: string) => last.findLast((each) => each.name === name)?.value ?? ''
  const env = Object.fromEntries(
    lastOf('ENV')
      .split(/\s+/)
      .map((pair) => pair.split('=') as [string, string]),
  )
  const health = /CMD (\[.*\])$/.exec(lastOf('HEALTHCHECK'))?.[1] ?? '[]'
  return {
    env,
    user: lastOf('USER'),
    exposed: lastOf('EXPOSE'),
    volume: lastOf('VOLUME'),
    stopSignal: lastOf('STOPSIGNAL'),
    entrypoint: JSON.parse(lastOf('ENTRYPOINT')) as string[],
    command: JSON.parse(lastOf('CMD')) as string[],
    healthCheck: JSON.parse(health) as string[],
  }
}
