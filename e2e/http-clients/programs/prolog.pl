% swipl prolog.pl STEP URL [STEP URL]…: the steps are those of node.mjs.
:- use_module(library(http/http_open)).
:- use_module(library(http/http_client)).
:- use_module(library(http/http_json)).
:- use_module(library(readutil)).

options(get, []).
options(timeout, [timeout(3)]).
options(post, [post(bytes('application/json', "{\"name\":\"Rex\",\"photoUrls\":[]}"))]).
options(key, [request_header('Idempotency-Key'=k1)|Options]) :- options(post, Options).

run(json, Url) :- !, http_get(Url, _, []), format("JSON a value~n").
run(Step, Url) :-
  options(Step, Options),
  setup_call_cleanup(http_open(Url, Stream, [status_code(Status)|Options]), read_string(Stream, _, Text), close(Stream)),
  string_length(Text, Length),
  format("OK ~w ~w~n", [Status, Length]).

steps([]).
steps([Step, Url|Rest]) :-
  catch(run(Step, Url), Error, ( format(atom(Line), "ERR ~p", [Error]), print_line(Line) )),
  flush_output,
  steps(Rest).
print_line(Text) :- atomic_list_concat(Parts, '\n', Text), atomic_list_concat(Parts, ' ', Line), writeln(Line).

main :- current_prolog_flag(argv, Args), steps(Args), halt.
:- initialization(main, main).
