// The governance benchmark's command line: npm run prove -- [options]
import type { KillReport } from '../test/integrations/adapters-killed.ts'
import { createEmptyDatabase, releaseServer } from '../test/support/databases.ts'
import type { StorageName } from '../test/support/server.ts'
import { adapterRetriesId, adapterRetriesMeasured, isRight, linesOf, proveAdapterRetries } from './adapter-retries.ts'
import { colophonOnPostgres, colophonOnSqlite } from './adapters/colophon.ts'
import { allProducts } from './adapters/index.ts'
import { type Arguments, readArguments, usage, WrongCall } from './arguments.ts'
import { writePage, writtenPart } from './page.ts'
import type { Product } from './product.ts'
import { allProperties } from './properties/index.ts'
import { jsonOf, lineOf } from './report.ts'
import { isNoticed, isPerfect, prove, type Result } from './run.ts'

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const complain = (text: string): void => void process.stderr.write(`${text}\n`)

const isControl = true

async function measure({ only, property, seed, scale, writes, form, hasControls, write }: Arguments): Promise<number> {
  const products = allProducts.filter(({ id }) => only.length === 0 || only.some((part) => id.includes(part)))
  const properties = allProperties.filter(({ id }) => property.length === 0 || property.includes(id))
  const isOfAdapters = property.length === 0 || property.includes(adapterRetriesId)
  const storages = isOfAdapters ? storagesOf(products) : []
  if (products.length === 0 || (properties.length === 0 && storages.length === 0))
    throw new WrongCall('nothing matches; --list says what there is')
  const report = form === 'lines' ? say : complain
  const onResult = (result: Result) => report(lineOf(result))
  const options = { seed, scale, databases: { create: createEmptyDatabase }, onResult }
  const results: Result[] = []
  for (const product of products) results.push(...(await prove(product, properties, options)))
  if (hasControls) report('Controls: the same properties on a product with a planted fault must not be perfect.')
  const controls: Result[] = []
  for (const product of hasControls ? controlledIn(products) : [])
    controls.push(...(await prove(product, properties, { ...options, scale: 1, isControl })))
  const blind = controls.flatMap(({ product, property: { id, control }, outcome }) =>
    control.shows
      .filter((what) => !isNoticed(outcome, what))
      .map((what) => `${id} on ${product.name}, "${what}": ${control.fault}`),
  )
  for (const one of blind) complain(`Not noticed by ${one}.`)
  const retried: Record<string, KillReport> = {}
  for (const storage of storages) {
    retried[storage] = await proveAdapterRetries(storage, writes)
    report(`Retried writes through the adapters, ${storage}`)
    for (const line of linesOf(retried[storage])) report(line)
  }
  if (form === 'json') {
    const products = { results: results.map(jsonOf), controls: controls.map(jsonOf) }
    say(JSON.stringify({ seed, scale, ...products, ...(isOfAdapters ? { adapters: retried } : {}) }, null, 2))
  }
  const measured = { results, controls, seed, scale }
  if (form === 'markdown') say(writtenPart(measured))
  if (write) writePage(measured)
  // Figures of a peer are reported; figures of Colophon are checked.
  const broken = results.filter(({ product, outcome }) => product.id.startsWith('colophon') && !isPerfect(outcome))
  return blind.length > 0 || broken.length > 0 || !Object.values(retried).every(isRight) ? 1 : 0
}

function storagesOf(products: readonly Product[]): StorageName[] {
  return [
    ...(products.includes(colophonOnSqlite) ? (['sqlite'] as const) : []),
    ...(products.includes(colophonOnPostgres) ? (['postgres'] as const) : []),
  ]
}

/** Every Colophon that is measured: how bytes and rows are inspected depends on the database. Without one, the first. */
function controlledIn(products: readonly Product[]): readonly Product[] {
  const measured = [colophonOnSqlite, colophonOnPostgres].filter((product) => products.includes(product))
  return measured.length > 0 ? measured : [colophonOnSqlite]
}

async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2))
  if (given.help) say(usage)
  else if (given.list) {
    for (const { id, configuration } of allProducts) say(`${id.padEnd(22)} ${configuration}`)
    for (const { id, measured } of allProperties) say(`${id.padEnd(22)} ${measured}`)
    say(`${adapterRetriesId.padEnd(22)} ${adapterRetriesMeasured}`)
  } else return measure(given)
  return 0
}

try {
  process.exitCode = await main()
} catch (error) {
  complain(error instanceof WrongCall ? `${error.message}\n\n${usage}` : `prove: ${(error as Error).stack}`)
  process.exitCode = error instanceof WrongCall ? 2 : 1
} finally {
  await releaseServer()
}
