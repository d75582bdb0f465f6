package client_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/client"
)

func Example() {
	ctx := context.Background()
	conclave := client.Client{BaseURL: "https://meet.example.com", Key: os.Getenv("CONCLAVE_API_KEY")}

	room, err := conclave.CreateRoom(ctx, api.RoomCreate{
		Name:     "Weekly review",
		Settings: api.RoomSettingsUpdate{Admission: api.Set("knock")},
	})
	if err != nil {
		fmt.Println("no room was made:", err)
		return
	}
	link, err := conclave.CreateJoinLink(ctx, room.ID, api.JoinLinkCreate{Name: "Ada", Role: api.Set("host")})
	if err != nil {
		fmt.Println("no link was made:", err)
		return
	}
	fmt.Println("Ada joins at", link.URL)
}

func ExampleClient_ListRooms() {
	conclave := client.Client{BaseURL: "https://meet.example.com", Key: os.Getenv("CONCLAVE_API_KEY")}
	for room, err := range conclave.ListRooms(context.Background(), client.RoomQuery{}) {
		if err != nil {
			fmt.Println("the rooms cannot be listed:", err)
			return
		}
		fmt.Println(room.Name, room.URL)
	}
}

func ExampleError() {
	conclave := client.Client{BaseURL: "https://meet.example.com", Key: os.Getenv("CONCLAVE_API_KEY")}
	room, err := conclave.GetRoom(context.Background(), "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11")
	if refusal, refused := errors.AsType[*client.Error](err); refused {
		if refusal.Code == api.CodeNotFound {
			fmt.Println("The room was deleted.")
			return
		}
		fmt.Println("The service answered", refusal.Status, refusal.Code, "to request", refusal.RequestID)
		return
	}
	if err != nil {
		fmt.Println("no answer:", err)
		return
	}
	fmt.Println(room.Name)
}
