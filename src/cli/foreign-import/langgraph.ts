import { idOf, underTag, valueSaidBy } from '../../integrations/langgraph-entry.ts'
import type { StoreRow } from '../../operate/langgraph-tables.ts'
import { type ForeignItem, type ForeignSource, instantOf, itemOf, objectOf } from './source.ts'

/** Items of LangGraph's PostgresStore. They become what `ColophonStore` stores. */

const ref = 'langgraph'

export async function openLangGraph(url: string): Promise<ForeignSource> {
  const { openStoreTables } = await import('../../operate/langgraph-tables.ts')
  const tables = await openStoreTables(url)
  return {
    service: ref,
    label: `the LangGraph PostgresStore in database ${tables.database}`,
    async *items() {
      for await (const row of tables.rows()) yield toItem(row)
    },
    close: tables.close,
  }
}

function toItem(row: StoreRow): ForeignItem {
  // The package joins a namespace with colons, and splits it in the same way.
  const namespace = row.namespace_path === '' ? [] : row.namespace_path.split(':')
  return itemOf({ at: `item ${idOf(namespace, row.key)}`, kind: 'items' }, () => {
    const created = instantOf(row.created_at, 'created_at')
    const prefixes = namespace.map((_, index) => underTag(namespace.slice(0, index + 1)))
    const document = {
      ref,
      name: idOf(namespace, row.key),
      tags: [...(created === undefined ? [] : [`since:${created}`]), ...prefixes],
      value: objectOf(row.value, 'value'),
      by: valueSaidBy(row.value),
      observedAt: instantOf(row.updated_at, 'updated_at') ?? created,
      expiresAt: instantOf(row.expires_at, 'expires_at'),
      scope: { items: [{ namespace, key: row.key }] },
    }
    return { document }
  })
}
