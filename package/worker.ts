/** The part of the Worker's configuration that does not depend on where it is served. scripts/package.ts writes it. */
export interface WorkerConfiguration {
  readonly compatibilityDate: string;
  readonly bindings: Readonly<Record<string, string>>;
  readonly durableObjects: Readonly<
    Record<string, { className: string; useSQLite: boolean; unsafePreventEviction: boolean }>
  >;
  readonly kvNamespaces: string[];
  readonly r2Buckets: string[];
  /** Names of the limiters. */
  readonly ratelimits: string[];
  readonly assets: { readonly run_worker_first: string[]; readonly binding?: string };
}
