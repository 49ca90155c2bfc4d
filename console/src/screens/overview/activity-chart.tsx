import { useEffect, useMemo, useRef } from 'react'
import Plot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Stats } from '../../../../src/client/index.ts'
import { useTheme } from '../../app/theme.ts'
import { hoursOf } from './hours.ts'

const height = 220

/** Changes and redactions by the hour. For screen readers, the heat map below is a table. */
export default function ActivityChart({ stats }: { readonly stats: Stats }) {
  const container = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  const hours = useMemo(() => hoursOf(stats), [stats])
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read from the page, so a new theme is a new chart.
  useEffect(() => {
    const element = container.current
    if (element === null) return
    const style = getComputedStyle(document.documentElement)
    const colour = (name: string) => style.getPropertyValue(name).trim()
    const axis = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } }
    const plot = new Plot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false },
        axes: [axis, { ...axis, size: 44 }],
        scales: { y: { range: (_, __, max) => [0, Math.max(max, 4)] } },
        series: [
          {},
          {
            label: 'changes',
            stroke: colour('--accent'),
            fill: `${colour('--accent')}22`,
            width: 1.5,
            points: { show: false },
          },
          { label: 'redacted', stroke: colour('--warn'), width: 1.5, points: { show: false } },
        ],
      },
      [hours.map(({ at }) => at / 1_000), hours.map(({ changes }) => changes), hours.map(({ redacted }) => redacted)],
      element,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [hours, theme])
  const total = hours.reduce((sum, hour) => sum + hour.changes, 0)
  return (
    <div className="p-2">
      <div ref={container} role="img" aria-label={`${total} changes in seven days`} />
    </div>
  )
}
