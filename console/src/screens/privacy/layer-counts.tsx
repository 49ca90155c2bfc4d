import { wordsOfLayer } from './words.ts'

type LayerCountsProps = { readonly caption: string; readonly counts: Readonly<Record<string, unknown>> }

/** The number of rows in each layer, in words. Layers without rows are not shown. */
export function LayerCounts({ caption, counts }: LayerCountsProps) {
  const present = Object.entries(counts).filter(([, count]) => count !== 0)
  return (
    <table className="w-full text-left text-sm">
      <caption className="mb-1 text-left font-medium">{caption}</caption>
      <tbody>
        {present.map(([layer, count]) => (
          <tr key={layer} className="border-line border-b">
            <th scope="row" className="py-1 font-normal text-muted">
              {wordsOfLayer(layer)}
            </th>
            <td className="py-1 text-right font-mono">{String(count)}</td>
          </tr>
        ))}
        {present.length === 0 && (
          <tr>
            <td>none</td>
          </tr>
        )}
      </tbody>
    </table>
  )
}
