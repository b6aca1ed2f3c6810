// go CLIENT STEP URL [STEP URL]…: the steps are those of node.mjs.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-resty/resty"
	"github.com/hashicorp/go-retryablehttp"
)

const timeout = 3 * time.Second
const petBody = `{"name":"Rex","photoUrls":[]}`

type caller func(method, url string, headers map[string]string, body string, limited bool) (int, []byte, error)
type reader func(url string) (any, error)

func received(response *http.Response, err error) (int, []byte, error) {
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, content, err
}

func decoded(response *http.Response, err error) (value any, _ error) {
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return value, json.NewDecoder(response.Body).Decode(&value)
}

func netHTTP() (caller, reader) {
	client := &http.Client{}
	return func(method, url string, headers map[string]string, body string, limited bool) (int, []byte, error) {
		var content io.Reader
		if body != "" {
			content = strings.NewReader(body)
		}
		request, _ := http.NewRequest(method, url, content)
		for name, value := range headers {
			request.Header.Set(name, value)
		}
		if limited {
			client.Timeout = timeout
		}
		return received(client.Do(request))
	}, func(url string) (any, error) { return decoded(client.Get(url)) }
}

func retryable() (caller, reader) {
	client := retryablehttp.NewClient()
	client.Logger = nil
	return func(method, url string, headers map[string]string, body string, limited bool) (int, []byte, error) {
		var content any
		if body != "" {
			content = []byte(body)
		}
		request, _ := retryablehttp.NewRequest(method, url, content)
		for name, value := range headers {
			request.Header.Set(name, value)
		}
		if limited {
			client.HTTPClient.Timeout = timeout
		}
		return received(client.Do(request))
	}, func(url string) (any, error) { return decoded(client.Get(url)) }
}

func restyClient() (caller, reader) {
	client := resty.New()
	return func(method, url string, headers map[string]string, body string, limited bool) (int, []byte, error) {
			request := client.R().SetHeaders(headers)
			if body != "" {
				request.SetBody(body)
			}
			if limited {
				client.SetTimeout(timeout)
			}
			response, err := request.Execute(method, url)
			if err != nil {
				return 0, nil, err
			}
			return response.StatusCode(), response.Body(), nil
		}, func(url string) (any, error) {
			var pet map[string]any
			_, err := client.R().SetResult(&pet).Get(url)
			return pet, err
		}
}

func main() {
	call, read := map[string]func() (caller, reader){"net/http": netHTTP, "retryablehttp": retryable, "resty": restyClient}[os.Args[1]]()
	jsonType := map[string]string{"Content-Type": "application/json"}
	withKey := map[string]string{"Content-Type": "application/json", "Idempotency-Key": "k1"}
	for i := 2; i < len(os.Args); i += 2 {
		var status int
		var content []byte
		var err error
		step, url := os.Args[i], os.Args[i+1]
		switch step {
		case "json":
			value, err := read(url)
			if err != nil {
				fmt.Println("ERR", err)
			} else {
				fmt.Printf("JSON %v\n", value)
			}
			continue
		case "post":
			status, content, err = call("POST", url, jsonType, petBody, false)
		case "key":
			status, content, err = call("POST", url, withKey, petBody, false)
		default:
			status, content, err = call("GET", url, nil, "", step == "timeout")
		}
		if err != nil {
			fmt.Println("ERR", err)
		} else {
			fmt.Println("OK", status, len(content))
		}
	}
}
