#!/usr/bin/env escript
%% escript erlang.escript STEP URL [STEP URL]…: the steps are those of node.mjs.
-define(BODY, "{\"name\":\"Rex\",\"photoUrls\":[]}").

call("get", Url) -> httpc:request(get, {Url, []}, [], []);
call("timeout", Url) -> httpc:request(get, {Url, []}, [{timeout, 3000}], []);
call("post", Url) -> httpc:request(post, {Url, [], "application/json", ?BODY}, [], []);
call("key", Url) -> httpc:request(post, {Url, [{"idempotency-key", "k1"}], "application/json", ?BODY}, [], []).

steps([]) -> halt(0);
steps(["json", _ | Rest]) -> io:format("NA~n"), steps(Rest);
steps([Step, Url | Rest]) ->
  case call(Step, Url) of
    {ok, {{_, Status, _}, _, Body}} -> io:format("OK ~p ~p~n", [Status, length(Body)]);
    {error, Reason} -> io:format("ERR ~0p~n", [Reason])
  end,
  steps(Rest).

main(Args) -> {ok, _} = application:ensure_all_started(inets), steps(Args).
