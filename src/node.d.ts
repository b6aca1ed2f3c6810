/** The part of Node's API that the Worker uses. The types of Node would also declare globals that the Worker must not use. */
declare module "node:async_hooks" {
  export class AsyncLocalStorage<Store> {
    static bind<Callback extends (...values: never[]) => unknown>(callback: Callback): Callback;
    run<Result>(store: Store, callback: () => Result): Result;
    getStore(): Store | undefined;
  }
}
