import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { WorkflowPage } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { useAddress } from '../../app/use-address.ts'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'

type Summary = WorkflowPage['workflows'][number]

/** The library of the graph is large, and few views need it. */
const WorkflowGraph = lazy(() => import('./workflow-graph.tsx'))

/** Registered workflows; the chosen one with its graph. */
export function Workflows() {
  const [{ workflow: chosen }] = useAddress()
  const pages = useInfiniteQuery({
    queryKey: ['live', 'workflows'],
    queryFn: ({ pageParam, signal }) => api.workflows.list({ limit: 100, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  })
  const items = pages.data?.pages.flatMap(({ workflows }) => workflows) ?? []
  return (
    <div className="space-y-4">
      {chosen !== undefined && <Chosen id={chosen} />}
      <Panel title="Workflows">
        {pages.isPending && <Loading />}
        {pages.isError && <Failure error={pages.error} onRetry={() => pages.refetch()} />}
        {pages.isSuccess && items.length === 0 && (
          <Empty title="No workflows.">
            <code className="font-mono text-xs">colophon workflows add FILE</code> registers one.
          </Empty>
        )}
        {items.length > 0 && (
          <Table<Summary>
            caption="Workflows"
            items={items}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Name',
                cell: ({ id, name }) => (
                  <Link
                    to="/operations"
                    search={{ tab: 'workflows', workflow: id }}
                    className="text-accent break-words underline"
                  >
                    {name}
                  </Link>
                ),
              },
              { name: 'Id', cell: ({ id }) => <span className="font-mono text-xs break-all">{id}</span> },
              { name: 'Version', cell: ({ version }) => version },
            ]}
          />
        )}
        {pages.hasNextPage && (
          <div className="p-3 text-center">
            <Button small disabled={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
              More workflows
            </Button>
          </div>
        )}
      </Panel>
    </div>
  )
}

function Chosen({ id }: { readonly id: string }) {
  const workflow = useQuery({
    queryKey: ['live', 'workflows', id],
    queryFn: ({ signal }) => api.workflows.get(id, { signal }),
  })
  return (
    <Panel title={`The workflow ${id}`}>
      {workflow.isPending && <Loading />}
      {workflow.isError && <Failure error={workflow.error} onRetry={() => workflow.refetch()} />}
      {workflow.isSuccess && (
        <>
          <Suspense fallback={<Loading />}>
            <WorkflowGraph workflow={workflow.data} />
          </Suspense>
          <ol aria-label="Nodes" className="divide-y divide-line border-line border-t">
            {workflow.data.nodes.map((node) => (
              <li key={node.id} className="flex flex-wrap gap-3 px-4 py-2">
                <span className="font-medium break-all">{node.id}</span>
                <span className="font-mono text-muted text-xs break-all">{node.typeId}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </Panel>
  )
}
